package protocol

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/bowline-mcp/bowline/internal/jsonrpc"
)

// patience is how long a handler may go on after its context has ended before it
// is logged as one that ignores it.
const patience = 100 * time.Millisecond

// A watchdog answers for a call at its deadline. Its timer is used again, which
// costs a tenth of what a context with a timeout does.
type watchdog struct {
	timer    *time.Timer
	call     atomic.Pointer[Call]
	answered chan struct{}
}

// watch sets a watchdog on a call.
func (c *Core) watch(call *Call) *watchdog {
	w, ok := c.watchdogs.Get().(*watchdog)
	if !ok {
		w = &watchdog{answered: make(chan struct{})}
	}
	w.call.Store(call)
	if w.timer == nil {
		w.timer = time.AfterFunc(call.timeout, w.bite)
	} else {
		w.timer.Reset(call.timeout)
	}
	return w
}

// release takes the watchdog off when the handler has returned. One that has
// bitten isn't used again, but may still be answering: it is waited for, because
// the answer uses the message.
func (c *Core) release(call *Call, w *watchdog) {
	if w.timer.Stop() {
		w.call.Store(nil)
		c.watchdogs.Put(w)
		return
	}
	<-w.answered
	call.shared = true // the watchdog looks at it once more
}

// bite ends the call's context and answers in the place of its handler, then
// waits a little and logs the handler if it ignores its context.
func (w *watchdog) bite() {
	call := w.call.Load()
	method := string(call.Message().Method)
	call.end(context.DeadlineExceeded)
	call.reply.Late()
	call.core.answerLate(call)
	close(w.answered)

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
		call.fail(&Fault{Code: jsonrpc.InternalError, Message: fmt.Sprintf("The request timed out after %s", call.timeout)})
		return
	}
	text := fmt.Sprintf("The tool %s timed out after %s.", call.name, call.timeout)
	c.finishTool(call, ToolResult{Content: []Block{textBlock(text)}, IsError: true})
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
