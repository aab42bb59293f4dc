package call

import (
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/internal/limits"
)

// A watchdog answers for a call at its deadline. It is used again for other calls, and
// its timer isn't stopped when a call is over: it goes off once in a while, and is then
// set for the call of that moment.
type watchdog struct {
	lock     sync.Mutex
	timer    *time.Timer
	call     *Call // nil when none is watched
	deadline time.Time
	goesOff  time.Time // when the timer does; zero if it isn't set
	holds    int       // while it isn't zero, the call's time stands still
	heldAt   time.Time // since when it does
}

// watch sets a watchdog on the call, which has a deadline from now on.
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
	if c.start.IsZero() {
		c.start = time.Now()
	}
	deadline := c.start.Add(c.timeout)
	c.ctx.deadline = deadline // the handler doesn't run yet
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

// unwatch takes the watchdog off the call, whose handler has returned. If it is
// answering for the handler, that is waited for: the reply is no longer there when the
// transport goes on.
func (c *Call) unwatch() {
	w := c.watchdog
	if w == nil {
		return
	}
	w.lock.Lock()
	mine := w.call == c
	w.call, w.holds = nil, 0
	w.lock.Unlock()
	if mine {
		c.server.watchdogs.Put(w)
		return
	}
	c.lock.Lock()
	late := c.late
	c.lock.Unlock()
	<-late
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

// wake looks whether the call of the moment is late.
func (w *watchdog) wake() {
	w.lock.Lock()
	w.goesOff = time.Time{}
	c := w.call
	if c == nil || w.holds > 0 {
		w.lock.Unlock()
		return
	}
	if left := time.Until(w.deadline); left > 0 {
		w.set(left)
		w.lock.Unlock()
		return
	}
	w.call = nil
	late := c.startLate()
	w.lock.Unlock()
	c.answerLate(late)
}

// Hold lets the call's time stand still until resume is called, because its handler
// waits for the client.
func (c *Call) Hold() (resume func()) {
	w := c.watchdog
	w.lock.Lock()
	defer w.lock.Unlock()
	if w.call != c {
		return func() {}
	}
	if w.holds++; w.holds == 1 {
		w.heldAt = time.Now()
	}
	return c.resume
}

// resume ends one hold.
func (c *Call) resume() {
	w := c.watchdog
	w.lock.Lock()
	defer w.lock.Unlock()
	if w.call != c {
		return
	}
	if w.holds--; w.holds > 0 {
		return
	}
	held := time.Since(w.heldAt)
	w.deadline = w.deadline.Add(held)
	if w.goesOff.IsZero() {
		w.set(time.Until(w.deadline))
	}
	c.ctx.allow(w.deadline)
}

// startLate notes that the watchdog answers for the handler. The channel is closed when
// it has.
func (c *Call) startLate() (answered chan struct{}) {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.late = make(chan struct{})
	return c.late
}

// answerLate ends the call's context and answers in the place of its handler, then
// waits a little and logs the handler if it ignores its context.
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

// handlerReturned logs the return of a handler that was logged as one that hangs.
func (c *Call) handlerReturned() {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.abandoned {
		c.server.Logger.WarnContext(c.Context(), "a handler that had ignored its context has returned",
			"tool", c.operation.Tool, "after", time.Since(c.start), "abandoned", c.server.Lifecycle.abandoned.Add(-1))
	}
}
