package events_test

import (
	"context"
	"testing"

	"github.com/bowline-mcp/bowline/framework/events"
	"github.com/bowline-mcp/bowline/internal/engine/dispatch"
)

// A call makes no event if the listeners are for others.
func TestListenersToLoginsCostACallNothing(t *testing.T) {
	t.Parallel()
	d := &events.Dispatcher{}
	events.Listen(d, func(context.Context, events.LoggedIn) {})
	events.Listen(d, func(context.Context, events.UserChanged) {})
	events.Listen(d, func(context.Context, events.Started) {})
	if (*dispatch.Dispatcher)(d).Listening() {
		t.Error("the dispatcher listens to operations")
	}
	events.Listen(d, func(context.Context, events.Called) {})
	if !(*dispatch.Dispatcher)(d).Listening() {
		t.Error("the dispatcher doesn't listen to operations")
	}
}
