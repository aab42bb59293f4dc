package call_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/internal/engine/call"
)

type contextKey struct{}

// observe describes the state of a context.
func observe(ctx context.Context) string {
	closed := false
	select {
	case <-ctx.Done():
		closed = true
	default:
	}
	deadline, ok := ctx.Deadline()
	left := "none"
	if ok {
		left = time.Until(deadline).String()
	}
	return fmt.Sprintf("err=%v done=%v cause=%v value=%v left=%s", ctx.Err(), closed, context.Cause(ctx), ctx.Value(contextKey{}), left)
}

// contextOf returns the handler's context of a running call, which may take a minute. In a
// bubble, release must be called before the test ends.
func contextOf(c *client) (ctx context.Context, k *call.Call, release func()) {
	given, done := make(chan context.Context), make(chan struct{})
	k, _ = c.begin(echo)
	var runs sync.WaitGroup
	runs.Go(func() {
		k.Run(doing(func(ctx context.Context, _ *call.Call) (call.Result, error) {
			given <- ctx
			<-done
			return said(""), nil
		}))
	})
	return <-given, k, func() {
		close(done)
		runs.Wait()
	}
}

// The same happens to a call's context and to one of package context. Both, and the contexts
// derived from them, must behave alike.
func TestCallContextBehavesLikeAStandardContext(t *testing.T) {
	t.Parallel()
	cause := errors.New("a cause")
	for name, happen := range map[string]struct {
		parent   time.Duration // deadline of the parent, 0 for none
		parents  func(cancel context.CancelCauseFunc)
		deadline bool // let the call's own deadline pass
		cancel   bool // end the call
	}{
		"nothing happens":                       {},
		"the call ends":                         {cancel: true},
		"the deadline passes":                   {deadline: true},
		"the deadline passes, then the end":     {deadline: true, cancel: true},
		"the parent is cancelled":               {parents: func(c context.CancelCauseFunc) { c(nil) }},
		"the parent is cancelled for a cause":   {parents: func(c context.CancelCauseFunc) { c(cause) }},
		"the parent is cancelled, then the end": {parents: func(c context.CancelCauseFunc) { c(cause) }, cancel: true},
		"the parent has an earlier deadline":    {parent: time.Second, deadline: true},
		"the parent has a later deadline":       {parent: time.Hour},
	} {
		for _, asked := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, Done asked before: %v", name, asked), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					run := func(open func(parent context.Context) (ctx context.Context, end, release func())) string {
						parent, cancel := context.WithCancelCause(context.WithValue(t.Context(), contextKey{}, "value"))
						defer cancel(nil)
						if happen.parent > 0 {
							var stop context.CancelFunc
							parent, stop = context.WithTimeout(parent, happen.parent)
							defer stop()
						}
						ctx, end, release := open(parent)
						defer release()
						defer end()
						out := ""
						if asked {
							out = "before: " + observe(ctx) + "\n"
						}
						var derived context.Context
						fired, stopped := false, false
						if asked {
							var stop context.CancelFunc
							derived, stop = context.WithTimeout(ctx, 10*time.Hour)
							defer stop()
							context.AfterFunc(ctx, func() { fired = true })
							out += fmt.Sprintf("stop: %v\n", context.AfterFunc(ctx, func() { stopped = true })())
						}
						if happen.parents != nil {
							happen.parents(cancel)
						}
						if happen.deadline {
							time.Sleep(time.Minute)
							synctest.Wait()
						}
						if happen.cancel {
							end()
						}
						synctest.Wait()
						out += "after: " + observe(ctx) + "\n"
						if derived == nil {
							var stop context.CancelFunc
							derived, stop = context.WithCancel(ctx)
							defer stop()
							context.AfterFunc(ctx, func() { fired = true })
							synctest.Wait()
						}
						without := context.WithoutCancel(ctx)
						return out + fmt.Sprintf("derived: err=%v cause=%v\nfired=%v stopped=%v without=%v",
							derived.Err(), context.Cause(derived), fired, stopped, without.Err())
					}
					want := run(func(parent context.Context) (context.Context, func(), func()) {
						ctx, cancel := context.WithTimeout(parent, time.Minute)
						return ctx, cancel, func() {}
					})
					got := run(func(parent context.Context) (context.Context, func(), func()) {
						c := modern(t)
						c.ctx = parent
						ctx, k, release := contextOf(c)
						return ctx, k.End, release
					})
					time.Sleep(time.Second) // for the watchdog
					if got != want {
						t.Errorf("the call's context tells\n%s\n\na real one\n%s", got, want)
					}
				})
			})
		}
	}
}

func TestCallContextEndsWithTheServer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := modern(t)
		ctx, _, release := contextOf(c)
		defer release()
		derived, cancel := context.WithCancel(ctx)
		defer cancel()
		c.server.Lifecycle.Drain(0, 0)
		synctest.Wait()
		if ctx.Err() != context.Canceled || derived.Err() != context.Canceled {
			t.Errorf("err = %v, derived %v, want both cancelled", ctx.Err(), derived.Err())
		}
		<-ctx.Done()
	})
}

func TestCallContextReportsTheServersEndWithoutDone(t *testing.T) {
	t.Parallel()
	c := modern(t)
	ctx, _, release := contextOf(c)
	defer release()
	if ctx.Err() != nil {
		t.Errorf("err = %v while the call runs", ctx.Err())
	}
	c.server.Lifecycle.Drain(0, 0)
	if ctx.Err() != context.Canceled {
		t.Errorf("err = %v, want %v", ctx.Err(), context.Canceled)
	}
}

// Once Err has returned an error, it always returns the same one, and Done is closed.
func TestCallContextKeepsItsFirstError(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		parent, cancel := context.WithCancel(t.Context())
		c := modern(t)
		c.ctx = parent
		ctx, _, release := contextOf(c)
		cancel()
		if ctx.Err() != context.Canceled {
			t.Fatalf("err = %v, want %v", ctx.Err(), context.Canceled)
		}
		time.Sleep(time.Hour) // until the watchdog ends the context
		if ctx.Err() != context.Canceled {
			t.Errorf("err = %v after it was %v", ctx.Err(), context.Canceled)
		}
		select {
		case <-ctx.Done():
		default:
			t.Error("Done is open though Err tells that the context is over")
		}
		release()
	})
}

func TestCallContextEndsWhenTheCallIsOver(t *testing.T) {
	t.Parallel()
	for _, asked := range []bool{true, false} { // whether Done is called while the call runs
		ctx, k, release := contextOf(modern(t))
		if asked {
			_ = ctx.Done()
		}
		release()
		<-ctx.Done()
		<-k.Done()
		if ctx.Err() != context.Canceled {
			t.Errorf("err = %v", ctx.Err())
		}
	}
}

// Many goroutines use one context while it ends in every way at once. The test is for the
// race detector, and must not hang.
func TestCallContextUnderStress(t *testing.T) {
	t.Parallel()
	for range 200 {
		parent, cancel := context.WithCancel(t.Context())
		client := modern(t)
		client.ctx = parent
		c, k, release := contextOf(client)
		var all sync.WaitGroup
		for i := range 12 {
			all.Go(func() {
				switch i % 6 {
				case 0:
					<-c.Done()
				case 1:
					derived, cancel := context.WithTimeout(c, time.Minute)
					<-derived.Done()
					cancel()
				case 2:
					fired := make(chan struct{})
					context.AfterFunc(c, func() { close(fired) })
					<-fired
				case 3:
					context.AfterFunc(c, func() {})()
					_ = c.Err()
				case 4:
					_, cancel := context.WithCancel(c)
					cancel()
				case 5:
					_, _ = c.Deadline()
					_ = context.Cause(c)
				}
			})
		}
		all.Go(cancel)
		all.Go(func() { client.server.Lifecycle.Drain(0, 0) })
		all.Go(k.End)
		all.Wait()
		if c.Err() == nil {
			t.Fatal("the context continues after its end")
		}
		release()
	}
}
