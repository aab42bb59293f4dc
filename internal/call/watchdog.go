package call

import (
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/internal/limits"
)

// A watchdog answers a call at its deadline if the handler hasn't returned. Watchdogs are
// reused, and the end of a call doesn't stop the timer: when it fires, it is set again for
// the current call. A timer for each call would cost 7 % of a call in process.
type watchdog struct {
	lock     sync.Mutex
	timer    *time.Timer
	call     *Call         // nil when none is watched
	done     chan struct{} // closed when the watchdog has answered the call; nil before the deadline
	deadline time.Time
	goesOff  time.Time // when the timer fires; zero if it isn't set
	pauses   int       // the deadline is suspended while it isn't 0
	pausedAt time.Time
}

// watch sets the deadline and the watchdog of the call.
func (c *Call) watch() {
	if timeout := c.operation.Timeout; timeout != 0 {
		if timeout > c.timeout {
			c.reply.Within(timeout)
		}
		c.timeout = timeout
	}
	if c.operation.Engine {
		return
	}
	deadline := c.start.Add(c.timeout)
	c.ctx.deadline = deadline // without the lock, since the handler doesn't run yet
	w, ok := c.server.watchdogs.Get().(*watchdog)
	if !ok {
		w = &watchdog{}
	}
	c.watchdog = w
	w.lock.Lock()
	defer w.lock.Unlock()
	w.call, w.deadline = c, deadline
	if w.goesOff.IsZero() || w.goesOff.After(deadline) {
		w.set(c.timeout)
	}
}

// unwatch removes the watchdog after the handler has returned. It waits for a watchdog that
// is just answering, since the transport reuses the reply afterwards.
func (c *Call) unwatch() {
	w := c.watchdog
	if w == nil {
		return
	}
	w.lock.Lock()
	mine := w.call == c
	w.call, w.pauses = nil, 0
	w.lock.Unlock()
	if mine {
		c.server.watchdogs.Put(w)
		return
	}
	<-w.done
	c.handlerReturned()
}

// set sets the timer. The caller holds the lock.
func (w *watchdog) set(after time.Duration) {
	w.goesOff = time.Now().Add(after)
	if w.timer == nil {
		w.timer = time.AfterFunc(after, w.wake)
	} else {
		w.timer.Reset(after)
	}
}

// wake checks whether the current call is past its deadline.
func (w *watchdog) wake() {
	w.lock.Lock()
	w.goesOff = time.Time{}
	c := w.call
	if c == nil || w.pauses > 0 {
		w.lock.Unlock()
		return
	}
	if left := time.Until(w.deadline); left > 0 {
		w.set(left)
		w.lock.Unlock()
		return
	}
	w.call, w.done = nil, make(chan struct{})
	w.lock.Unlock()
	c.answerLate(w.done)
}

// Pause suspends the call's deadline until resume is called, because its handler waits for
// the client.
func (c *Call) Pause() (resume func()) {
	w := c.watchdog
	w.lock.Lock()
	defer w.lock.Unlock()
	if w.call != c {
		return func() {}
	}
	if w.pauses++; w.pauses == 1 {
		w.pausedAt = time.Now()
	}
	return c.resume
}

// resume ends one pause.
func (c *Call) resume() {
	w := c.watchdog
	w.lock.Lock()
	defer w.lock.Unlock()
	if w.call != c {
		return
	}
	if w.pauses--; w.pauses > 0 {
		return
	}
	paused := time.Since(w.pausedAt)
	w.deadline = w.deadline.Add(paused)
	if w.goesOff.IsZero() {
		w.set(time.Until(w.deadline))
	}
	c.ctx.allow(w.deadline)
}

// answerLate ends the context and answers instead of the handler. If the handler still runs
// a moment later, answerLate logs that it ignores its context.
func (c *Call) answerLate(answered chan struct{}) {
	timeout := &TimeoutError{c.timeout}
	c.ctx.end(timeout.Unwrap())
	c.reply.Late()
	c.explain(OutcomeTimeout, timeout)
	close(answered)

	time.Sleep(limits.Patience)
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.returned {
		return
	}
	c.abandoned = true
	c.server.Logger.ErrorContext(c.Context(), "a handler ignores its context and goes on after its timeout",
		"method", c.Method(), "tool", c.operation.Tool, "timeout", c.timeout, "abandoned", c.server.Lifecycle.abandoned.Add(1))
}

// handlerReturned logs that a handler has returned after the log said that it hangs.
func (c *Call) handlerReturned() {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.abandoned {
		c.server.Logger.WarnContext(c.Context(), "a handler that had ignored its context has returned",
			"tool", c.operation.Tool, "after", time.Since(c.start), "abandoned", c.server.Lifecycle.abandoned.Add(-1))
	}
}
