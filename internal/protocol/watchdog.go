package protocol

import (
	"context"
	"fmt"
	"time"
	"weak"

	"github.com/bowline-mcp/bowline/internal/jsonrpc"
)

// patience is how long a handler may go on after its context has ended before it
// is logged as one that ignores it.
const patience = 100 * time.Millisecond

// A watchdog answers for a call at its deadline. It belongs to a [Call], whose lock
// guards it, and is used again with it. Its timer is not stopped when a call is over:
// it goes off once in a while and is then set for the call of that moment. Setting and
// stopping it for each call would wake a thread each time.
type watchdog struct {
	timer    *time.Timer
	answered chan struct{} // gets a token when the watchdog has answered

	watches  bool  // from Begin until the handler has returned
	call     *Call // nil also when the watchdog answers for it
	deadline time.Time
	goesOff  time.Time // when the timer does; zero if it isn't set
	holds    int       // while it isn't zero, the call's time stands still
	heldAt   time.Time // since when it does
}

// watch sets the watchdog on a handler. The caller holds the call's lock, as for all
// methods.
func (w *watchdog) watch(call *Call, deadline time.Time) {
	w.watches, w.call, w.deadline = true, call, deadline
	if w.goesOff.IsZero() || w.goesOff.After(deadline) {
		w.set(call, call.timeout)
	}
}

// set sets the timer.
func (w *watchdog) set(call *Call, after time.Duration) {
	w.goesOff = time.Now().Add(after)
	if w.timer == nil {
		idle := weak.Make(call) // the timer doesn't keep a call that nobody uses again
		w.timer = time.AfterFunc(after, func() {
			if call := idle.Value(); call != nil {
				call.wake()
			}
		})
	} else {
		w.timer.Reset(after)
	}
}

// Hold lets the call's time stand still until resume is called, because its handler
// waits for the client.
func (call *Call) Hold() (resume func()) {
	w := &call.watchdog
	call.answer.Lock()
	defer call.answer.Unlock()
	if w.holds++; w.holds == 1 {
		w.heldAt = time.Now()
	}
	return call.resume
}

// resume ends one hold.
func (call *Call) resume() {
	w := &call.watchdog
	call.answer.Lock()
	defer call.answer.Unlock()
	if w.holds--; w.holds > 0 || w.call == nil {
		return
	}
	held := time.Since(w.heldAt)
	w.deadline = w.deadline.Add(held)
	if w.goesOff.IsZero() {
		w.set(call, time.Until(w.deadline))
	}
	call.ctx.extend(held)
}

// release takes the watchdog off when the handler has returned. If it is answering
// for the handler, that is waited for, because the answer uses the message.
func (call *Call) release() {
	w := &call.watchdog
	call.answer.Lock()
	bitten := w.watches && w.call == nil
	w.watches, w.call = false, nil
	call.returned = !bitten
	call.answer.Unlock()
	if bitten {
		<-w.answered
		call.shared = true // the watchdog looks at it once more
		call.handlerReturned()
	}
}

// wake looks whether the call of the moment is late.
func (call *Call) wake() {
	w := &call.watchdog
	call.answer.Lock()
	w.goesOff = time.Time{}
	if w.call == nil || w.holds > 0 {
		call.answer.Unlock()
		return
	}
	if left := time.Until(w.deadline); left > 0 {
		w.set(call, left)
		call.answer.Unlock()
		return
	}
	w.call = nil
	call.answer.Unlock()
	w.bite(call)
}

// bite ends the call's context and answers in the place of its handler, then
// waits a little and logs the handler if it ignores its context.
func (w *watchdog) bite(call *Call) {
	method := string(call.Message().Method)
	call.end(context.DeadlineExceeded)
	call.reply.Late()
	call.core.answerLate(call)
	w.answered <- struct{}{}

	time.Sleep(patience)
	lifecycle := call.core.lifecycle
	call.answer.Lock()
	defer call.answer.Unlock()
	if call.returned {
		return
	}
	call.abandoned = true
	call.core.logger.Error("a handler ignores its context and goes on after its timeout",
		"method", method, "tool", call.name, "timeout", call.timeout, "abandoned", lifecycle.abandoned.Add(1))
}

// answerLate answers a call that has timed out.
func (c *Core) answerLate(call *Call) {
	if call.name == "" {
		call.failBy(OutcomeTimeout, &Fault{Code: jsonrpc.InternalError, Message: fmt.Sprintf("The request timed out after %s", call.timeout)})
		return
	}
	text := fmt.Sprintf("The tool %s timed out after %s.", call.name, call.timeout)
	c.finishTool(call, OutcomeTimeout, ToolResult{Content: []Block{textBlock(text)}, IsError: true})
}

// handlerReturned notes that no handler uses the call any more.
func (call *Call) handlerReturned() {
	call.answer.Lock()
	defer call.answer.Unlock()
	call.returned = true
	if call.abandoned {
		call.core.logger.Warn("a handler that had ignored its context has returned",
			"tool", call.name, "after", time.Since(call.start), "abandoned", call.core.lifecycle.abandoned.Add(-1))
	}
}
