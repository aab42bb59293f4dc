package call

import (
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/internal/limits"
)

// A watchdog answers a call at its deadline if the handler hasn't returned, and makes the reply of
// a quiet call show that the call goes on. Watchdogs are reused, and the end of a call doesn't
// stop the timer: when it fires, it is set again for the current call. A timer for each call
// would cost 7 % of a call in process.
type watchdog struct {
	lock     sync.Mutex
	timer    *time.Timer
	call     *Call         // nil when none is watched
	done     chan struct{} // closed when the watchdog has answered the call; nil before the deadline
	deadline time.Time
	quiet    time.Time // until when the call may be quiet; zero if it may be so to its end
	goesOff  time.Time // when the timer fires; zero if it isn't set
	pauses   int       // the deadline is suspended while it isn't 0
	pausedAt time.Time
}

// watchdogs are those that watch no call.
type watchdogs struct{ pool sync.Pool }

// watch sets the deadline and the watchdog of a call.
func (idle *watchdogs) watch(c *Call) {
	if timeout := c.operation.Timeout; timeout != 0 {
		if timeout > c.timeout {
			c.reply.ExtendTimeout(timeout)
		}
		c.timeout = timeout
	}
	if c.operation.Engine {
		return
	}
	deadline := c.start.Add(c.timeout)
	c.ctx.deadline = deadline // without the lock, since the handler doesn't run yet
	w, ok := idle.pool.Get().(*watchdog)
	if !ok {
		w = &watchdog{}
	}
	c.watchdog = w
	w.lock.Lock()
	defer w.lock.Unlock()
	w.call, w.deadline, w.quiet = c, deadline, time.Time{}
	due := deadline
	if quiet := c.arrival.KeepAlive; 0 < quiet && quiet < c.timeout {
		due = c.start.Add(quiet)
		w.quiet = due
	}
	if w.goesOff.IsZero() || w.goesOff.After(due) {
		w.set(due)
	}
}

// leave removes the watchdog of a call after the handler has returned. It waits for a watchdog
// that is just answering, since the transport reuses the reply afterwards.
func (idle *watchdogs) leave(c *Call) {
	w := c.watchdog
	if w == nil {
		return
	}
	w.lock.Lock()
	mine := w.call == c
	w.call, w.pauses = nil, 0
	w.lock.Unlock()
	if mine {
		idle.pool.Put(w)
		return
	}
	<-w.done
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.abandoned {
		c.server.Logger.WarnContext(&c.ctx, "a handler that had ignored its context has returned",
			"tool", c.operation.Tool, "after", time.Since(c.start), "abandoned", c.server.Lifecycle.abandoned.Add(-1))
	}
}

// due returns when the watchdog has something to do. The caller holds the lock, as for set.
func (w *watchdog) due() time.Time {
	if !w.quiet.IsZero() && w.quiet.Before(w.deadline) {
		return w.quiet
	}
	return w.deadline
}

// set sets the timer.
func (w *watchdog) set(at time.Time) {
	after := time.Until(at)
	w.goesOff = at
	if w.timer == nil {
		w.timer = time.AfterFunc(after, w.wake)
	} else {
		w.timer.Reset(after)
	}
}

// wake checks whether the current call is past its deadline, or has been quiet for too long.
func (w *watchdog) wake() {
	w.lock.Lock()
	w.goesOff = time.Time{}
	c := w.call
	if c == nil || w.pauses > 0 {
		w.lock.Unlock()
		return
	}
	now := time.Now()
	silent := !w.quiet.IsZero() && !w.quiet.After(now)
	if silent {
		w.quiet = time.Time{} // from now on, the reply keeps itself alive
	}
	if due := w.due(); due.After(now) {
		w.set(due)
		w.lock.Unlock()
		if silent {
			w.keepAlive(c)
		}
		return
	}
	w.call, w.done = nil, make(chan struct{})
	w.lock.Unlock()
	w.answer(c, w.done)
}

// keepAlive shows the client that a call goes on, unless it has ended meanwhile. It may wait
// for the client, and the watchdog doesn't wait for it.
func (*watchdog) keepAlive(c *Call) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if reply, ok := c.reply.(KeepAliveReply); ok && !c.isOver() {
		reply.KeepAlive()
	}
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
	return func() { w.resume(c) }
}

// resume ends one pause of a call.
func (w *watchdog) resume(c *Call) {
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
		w.set(w.due())
	}
	c.ctx.allow(w.deadline)
}

// answer ends the context of a call, answers instead of the handler, and reports the call. If the handler still
// runs a moment later, answer logs that it ignores its context.
func (*watchdog) answer(c *Call, answered chan struct{}) {
	timeout := &TimeoutError{c.timeout}
	c.ctx.end(timeout.Unwrap())
	c.reply.HandlerStillRuns()
	c.explain(timeout)
	ending, _ := c.ending() // now, since the handler may never return
	close(answered)
	ending.log(c)
	go ending.dispatch(c) // a listener may block

	time.Sleep(limits.Patience)
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.returned {
		return
	}
	c.abandoned = true
	c.server.Logger.ErrorContext(&c.ctx, "a handler ignores its context and goes on after its timeout",
		"method", string(c.facts.Method), "tool", c.operation.Tool, "timeout", c.timeout, "abandoned", c.server.Lifecycle.abandoned.Add(1))
}
