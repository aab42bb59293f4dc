package call

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// An Ending is how a call ended.
type Ending struct {
	Outcome Outcome
	Err     error // why it failed, nil if it didn't
	Took    time.Duration
}

// ending returns how the call ended.
func (c *Call) ending() Ending {
	c.lock.Lock()
	outcome := c.outcome
	c.lock.Unlock()
	ending := Ending{Outcome: outcome, Took: time.Since(c.start)}
	switch outcome {
	case OutcomeTimeout:
		ending.Err = &TimeoutError{c.timeout}
	case OutcomeToolError, OutcomeError:
		ending.Err = c.problem
	default:
	}
	return ending
}

// A PanicError is the error of a handler that panicked or ended its goroutine.
type PanicError struct {
	value any
	place string // file and line
}

// Error describes the value of the panic and its place.
func (e *PanicError) Error() string {
	return fmt.Sprintf("the handler panicked: %v (%s)", e.value, e.place)
}

// panicPlace returns the line that panicked or called runtime.Goexit. A deferred function
// calls it.
func panicPlace() string {
	var stack [64]uintptr
	frames := runtime.CallersFrames(stack[:runtime.Callers(1, stack[:])])
	for began := false; ; {
		frame, more := frames.Next()
		switch {
		case frame.Function == "runtime.gopanic" || frame.Function == "runtime.Goexit":
			began = true
		case began && !strings.HasPrefix(frame.Function, "runtime."):
			return fmt.Sprintf("%s:%d", filepath.Base(frame.File), frame.Line)
		}
		if !more {
			return "at an unknown line"
		}
	}
}

// A TimeoutError is the error of a call whose handler ran beyond its deadline.
type TimeoutError struct{ After time.Duration }

// Error returns a text with the timeout.
func (e *TimeoutError) Error() string {
	return fmt.Sprintf("timed out after %s: %v", e.After, context.DeadlineExceeded)
}

// Unwrap returns context.DeadlineExceeded.
func (e *TimeoutError) Unwrap() error { return context.DeadlineExceeded }

var errExits = errors.New("the handler called runtime.Goexit, as testing.T.FailNow does")

// Done returns a channel that is closed when the call ends. It doesn't depend on the
// context that the handler passes on.
func (c *Call) Done() <-chan struct{} { return c.ctx.Done() }

// End ends the context of the call, which may still be answered.
func (c *Call) End() {
	c.lock.Lock()
	answered := c.answered
	c.lock.Unlock()
	if !answered {
		c.ctx.end(context.Canceled)
	}
}

// cancel ends the context and drops the answer, unless the call was answered. It doesn't
// wait for the reply, which may be blocked by a client that doesn't read.
func (c *Call) cancel() {
	c.ctx.end(context.Canceled)
	go func() {
		c.lock.Lock()
		defer c.lock.Unlock()
		if c.answered {
			return
		}
		c.answered, c.outcome = true, OutcomeCanceled
		c.reply.Finish(Answer{Status: http.StatusAccepted})
		c.server.Lifecycle.end()
	}()
}

// Stopped reports whether the call was answered or canceled before its handler returned. If
// so, an error of the handler may follow from it.
func (c *Call) Stopped() bool {
	c.lock.Lock()
	defer c.lock.Unlock()
	return c.answered || c.canceled()
}

// canceled reports whether the client has canceled the call or disconnected, or the
// program has ended the call. The caller holds the lock.
func (c *Call) canceled() bool {
	if c.asking != nil && c.asking.withdrawn {
		return false
	}
	return errors.Is(c.ctx.Err(), context.Canceled)
}
