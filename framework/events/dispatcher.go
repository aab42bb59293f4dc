package events

import (
	"context"

	"github.com/bowline-mcp/bowline/internal/dispatch"
)

// A Dispatcher knows who listens to what. The zero value has no listeners. It is safe
// for concurrent use.
type Dispatcher dispatch.Dispatcher

// Listen calls a listener for all events of its type from now on, after those that
// listen already.
func Listen[E Event](dispatcher *Dispatcher, listener func(ctx context.Context, event E)) {
	operation := true
	switch any(*new(E)).(type) {
	case Started, Stopped:
		operation = false
	}
	dispatch.Listen((*dispatch.Dispatcher)(dispatcher), operation, listener)
}
