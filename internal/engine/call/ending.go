package call

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// A PanicError is the error of a handler that panicked or ended its goroutine.
type PanicError struct {
	text  string // what panicked, with which value, and where
	stack string
}

// newPanicError returns the error for a value of a panic. A deferred function calls it.
func newPanicError(what string, value any) *PanicError {
	text := fmt.Sprint(value)
	if len(text) > limits.MaxCause/2 { // so that the log has the place, too
		text = text[:limits.MaxCause/2] + "…"
	}
	return &PanicError{fmt.Sprintf("%s panicked: %s (%s)", what, text, panicPlace()), string(debug.Stack())}
}

// Error describes the value of the panic and its place.
func (e *PanicError) Error() string { return e.text }

// Outcome returns exchange.OutcomePanicked.
func (*PanicError) Outcome() exchange.Outcome { return exchange.OutcomePanicked }

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
	return fmt.Sprintf("timed out after %s: the handler hasn't returned", e.After)
}

// Unwrap returns context.DeadlineExceeded.
func (e *TimeoutError) Unwrap() error { return context.DeadlineExceeded }

// Outcome returns exchange.OutcomeTimedOut.
func (*TimeoutError) Outcome() exchange.Outcome { return exchange.OutcomeTimedOut }

// endsLate records how the handler of a call failed that was canceled or timed out before. The
// caller holds the lock of the call.
func (e *Ending) endsLate(c *Call) {
	switch {
	case e.Outcome != exchange.OutcomeFailed && e.Outcome != exchange.OutcomePanicked || followsFromTheEnd(e.Err):
	case c.reported:
		e.logLate(c)
	default:
		c.problem = e.Err
		if e.Outcome == exchange.OutcomePanicked {
			c.outcome = e.Outcome
		}
	}
}

// followsFromTheEnd reports whether a handler's error only says that its call has ended.
func followsFromTheEnd(err error) bool {
	for _, expected := range []error{context.Canceled, context.DeadlineExceeded, ErrFinished, ErrGone} {
		if errors.Is(err, expected) {
			return true
		}
	}
	return false
}

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
		c.answered, c.outcome = true, exchange.OutcomeCanceled
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
