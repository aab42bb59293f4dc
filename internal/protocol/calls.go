package protocol

import (
	"bytes"
	"context"
	"net/http"
	"sync"
)

// Calls is the table of the calls that one client has running, and of the streams that
// it has open, by their ids. A client can only cancel what is in its own table. The zero
// value is empty.
type Calls struct {
	lock    sync.Mutex
	only    running            // the one call that runs, as mostly
	id      []byte             // of that one, a slice of its message
	open    map[string]running // the others
	streams map[string]*subscription
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
	id := call.arrival.Message.ID
	if t.has(id) {
		return false
	}
	call.known = true
	if t.only.call == nil {
		t.only, t.id = running{call, call.number}, id
		return true
	}
	if t.open == nil {
		t.open = map[string]running{}
	}
	t.open[string(id)] = running{call, call.number}
	return true
}

// find returns the call of a raw id. The caller holds the lock.
func (t *Calls) find(id []byte) running {
	if t.only.call != nil && bytes.Equal(t.id, id) {
		return t.only
	}
	return t.open[string(id)]
}

// has reports whether a raw id is in use. The caller holds the lock.
func (t *Calls) has(id []byte) bool {
	return t.find(id).call != nil || t.streams[string(id)] != nil
}

// end takes a call out, before anything else may use it.
func (t *Calls) end(call *Call) {
	t.lock.Lock()
	defer t.lock.Unlock()
	if t.only.call == call {
		t.only, t.id = running{}, nil
	} else {
		delete(t.open, string(call.arrival.Message.ID))
	}
}

// Cancel ends the call or the stream with that raw id and silences its answer. An id
// that isn't running is ignored: the answer may have crossed the cancellation.
func (t *Calls) Cancel(id []byte) {
	if t == nil || id == nil {
		return
	}
	t.lock.Lock()
	found, stream := t.find(id), t.streams[string(id)]
	t.lock.Unlock()
	if stream != nil {
		stream.cancel()
	}
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
	if t.only.call != nil {
		all = append(all, t.only)
	}
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
	call.answered, call.outcome, call.ended = true, OutcomeCancelled, context.Canceled
	call.reply.Finish(http.StatusAccepted, nil)
	call.arrival.Calls.end(call)
	ctx, lifecycle := call.ctx, call.core.lifecycle
	call.answer.Unlock() // from here on the call may be used for another
	if ctx != nil {
		ctx.end(context.Canceled)
	}
	lifecycle.end()
}
