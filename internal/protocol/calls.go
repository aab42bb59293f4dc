package protocol

import (
	"context"
	"net/http"
	"sync"
)

// Calls is the table of the calls that one client has running, by their ids. A
// client can only cancel what is in its own table. The zero value is empty.
type Calls struct {
	lock sync.Mutex
	open map[string]running
}

// A running call is known by its number too, since calls are used again.
type running struct {
	call   *Call
	number uint64
}

// begin enters a call, and reports false when its id is already there.
func (t *Calls) begin(call *Call) bool {
	t.lock.Lock()
	defer t.lock.Unlock()
	id := string(call.arrival.Message.ID)
	if _, taken := t.open[id]; taken {
		return false
	}
	if t.open == nil {
		t.open = map[string]running{}
	}
	t.open[id] = running{call, call.number}
	call.id = id
	return true
}

func (t *Calls) end(id string) {
	t.lock.Lock()
	defer t.lock.Unlock()
	delete(t.open, id)
}

// Cancel ends the call with that raw id and silences its answer. An id that isn't
// running is ignored: the answer may have crossed the cancellation.
func (t *Calls) Cancel(id []byte) {
	if t == nil || id == nil {
		return
	}
	t.lock.Lock()
	found := t.open[string(id)]
	t.lock.Unlock()
	found.cancel()
}

// CancelAll ends all running calls, as when their client is gone.
func (t *Calls) CancelAll() {
	for _, call := range t.all() {
		call.cancel()
	}
}

// EndAll ends the contexts of all running calls, which may still answer.
func (t *Calls) EndAll() {
	for _, call := range t.all() {
		call.end()
	}
}

func (t *Calls) all() (all []running) {
	t.lock.Lock()
	defer t.lock.Unlock()
	for _, call := range t.open {
		all = append(all, call)
	}
	return all
}

// end ends the call's context, unless the call is over.
func (r running) end() {
	r.call.answer.Lock()
	if r.call.number != r.number || r.call.answered {
		r.call.answer.Unlock()
		return
	}
	r.call.ended = context.Canceled
	ctx := r.call.ctx
	r.call.answer.Unlock()
	if ctx != nil {
		ctx.end(context.Canceled)
	}
}

// cancel ends the call's context and silences the reply, unless the call is over.
func (r running) cancel() {
	if r.call == nil {
		return
	}
	r.call.answer.Lock()
	if r.call.number != r.number || r.call.answered {
		r.call.answer.Unlock()
		return
	}
	r.call.silence()
}

// silence ends the call without an answer. The caller holds the lock, which silence
// gives up.
func (call *Call) silence() {
	call.answered, call.outcome, call.ended = true, "cancelled", context.Canceled
	call.reply.Finish(http.StatusAccepted, nil)
	ctx, table, id, lifecycle := call.ctx, call.arrival.Calls, call.id, call.core.lifecycle
	call.answer.Unlock() // from here on the call may be used for another
	if ctx != nil {
		ctx.end(context.Canceled)
	}
	table.end(id)
	lifecycle.end()
}
