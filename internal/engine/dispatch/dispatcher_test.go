package dispatch_test

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/bowline-mcp/bowline/internal/engine/dispatch"
)

type called struct{ tool string }

type started struct{}

func TestListenersOfAnEventAreCalledInTheirOrder(t *testing.T) {
	t.Parallel()
	d, heard := &dispatch.Dispatcher{}, []string{}
	listen := func(who string) func(context.Context, called) {
		return func(_ context.Context, event called) { heard = append(heard, who+" "+event.tool) }
	}
	dispatch.Dispatch(t.Context(), d, slog.New(slog.DiscardHandler), called{"early"})
	dispatch.Listen(d, true, listen("a"))
	dispatch.Listen(d, false, func(context.Context, started) { heard = append(heard, "started") })
	dispatch.Listen(d, true, listen("b"))
	dispatch.Dispatch(t.Context(), d, slog.New(slog.DiscardHandler), called{"echo"})
	dispatch.Dispatch(t.Context(), d, slog.New(slog.DiscardHandler), started{})
	if want := []string{"a echo", "b echo", "started"}; !slices.Equal(heard, want) {
		t.Errorf("heard %q, want %q", heard, want)
	}
}

func TestAListenerGetsTheContext(t *testing.T) {
	t.Parallel()
	type key struct{}
	d, got := &dispatch.Dispatcher{}, any(nil)
	dispatch.Listen(d, true, func(ctx context.Context, _ called) { got = ctx.Value(key{}) })
	dispatch.Dispatch(context.WithValue(t.Context(), key{}, "value"), d, slog.New(slog.DiscardHandler), called{})
	if got != "value" {
		t.Errorf("the value is %v", got)
	}
}

func TestAListenerThatPanicsIsLoggedAndTheOthersAreCalled(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	d, heard := &dispatch.Dispatcher{}, false
	dispatch.Listen(d, true, func(context.Context, called) { panic("boom") })
	dispatch.Listen(d, true, func(context.Context, called) { heard = true })
	dispatch.Dispatch(t.Context(), d, slog.New(slog.NewTextHandler(&log, nil)), called{})
	if !heard || !strings.Contains(log.String(), `msg="a listener panicked" event=dispatch_test.called panic=boom`) || !strings.Contains(log.String(), "dispatcher_test.go") {
		t.Errorf("the second heard it: %t; the log is\n%s", heard, log.String())
	}
}

func TestOnlyListenersToOperationsCountAsListening(t *testing.T) {
	t.Parallel()
	d := &dispatch.Dispatcher{}
	if d.Listening() {
		t.Error("somebody listens to a new one")
	}
	dispatch.Listen(d, false, func(context.Context, started) {})
	if d.Listening() {
		t.Error("a listener to the start listens to operations")
	}
	dispatch.Listen(d, true, func(context.Context, called) {})
	dispatch.Listen(d, false, func(context.Context, started) {})
	if !d.Listening() {
		t.Error("nobody listens to operations")
	}
}

func TestANilListenerIsAMistake(t *testing.T) {
	t.Parallel()
	d := &dispatch.Dispatcher{}
	dispatch.Listen(d, true, func(context.Context, started) {})
	if err := d.Check(); err != nil {
		t.Errorf("without mistakes there is %v", err)
	}
	dispatch.Listen[called](d, true, nil)
	dispatch.Listen[started](d, false, nil)
	want := "a listener for dispatch_test.called is nil; give events.Listen a function\na listener for dispatch_test.started is nil; give events.Listen a function"
	if err := d.Check(); err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
	dispatch.Dispatch(t.Context(), d, slog.New(slog.DiscardHandler), called{})
}

func TestANilDispatcherHasNoListeners(t *testing.T) {
	t.Parallel()
	var none *dispatch.Dispatcher
	dispatch.Dispatch(t.Context(), none, slog.New(slog.DiscardHandler), called{})
	if none.Listening() || none.Check() != nil {
		t.Errorf("listening: %t, with the mistakes %v", none.Listening(), none.Check())
	}
}

// For the race detector: no listener is lost if listeners are added and called
// concurrently.
func TestListenersCanBeAddedWhileOthersAreCalled(t *testing.T) {
	t.Parallel()
	d, lock, heard := &dispatch.Dispatcher{}, sync.Mutex{}, 0
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			dispatch.Listen(d, true, func(context.Context, called) {
				lock.Lock()
				defer lock.Unlock()
				heard++
			})
		})
		all.Go(func() { dispatch.Dispatch(t.Context(), d, slog.New(slog.DiscardHandler), started{}) })
	}
	all.Wait()
	dispatch.Dispatch(t.Context(), d, slog.New(slog.DiscardHandler), called{})
	if heard != 50 {
		t.Errorf("%d of 50 heard it", heard)
	}
}

func TestAContextHasADispatcher(t *testing.T) {
	t.Parallel()
	d, heard := &dispatch.Dispatcher{}, 0
	dispatch.Listen(d, false, func(context.Context, started) { heard++ })
	dispatch.Send(t.Context(), started{})
	dispatch.Send(dispatch.With(t.Context(), d, slog.New(slog.DiscardHandler)), started{})
	dispatch.Send(dispatch.With(t.Context(), nil, slog.New(slog.DiscardHandler)), started{})
	if heard != 1 {
		t.Errorf("the listener is called %d times, want once", heard)
	}
}
