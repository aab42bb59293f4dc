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
	only    running             // the one call that runs, as mostly
	id      []byte              // of that one, a slice of its message
	open    map[string]running  // the others
	waiting map[string]*Arrival // requests that wait for their turn
	streams map[string]*subscription
	closed  bool // whether no call begins any more
}

// An admission is whether a call begins.
type admission int

const (
	admitted  admission = iota
	idInUse             // by another call
	cancelled           // before it began
)

// begin enters a call.
func (t *Calls) begin(call *Call) admission {
	t.lock.Lock()
	defer t.lock.Unlock()
	id := call.arrival.Message.ID
	waited := t.proceed(call.arrival)
	switch {
	case t.closed, call.arrival.Waits && !waited:
		return cancelled
	case t.has(id):
		return idInUse
	}
	call.known = true
	if t.only.call == nil {
		t.only, t.id = running{call, call.number}, id
		return admitted
	}
	if t.open == nil {
		t.open = map[string]running{}
	}
	t.open[string(id)] = running{call, call.number}
	return admitted
}

// Await enters a request that waits for its turn, so that it can be cancelled meanwhile,
// or says why it can't.
func (t *Calls) Await(a *Arrival) *Fault {
	if t == nil {
		return nil
	}
	t.lock.Lock()
	defer t.lock.Unlock()
	id := a.Message.ID
	if t.has(id) {
		return idTaken(id)
	}
	if t.waiting == nil {
		t.waiting = map[string]*Arrival{}
	}
	t.waiting[string(id)], a.Waits = a, true
	return nil
}

// Leave takes out a request that has had its turn, if it was no call.
func (t *Calls) Leave(a *Arrival) {
	if t == nil {
		return
	}
	t.lock.Lock()
	defer t.lock.Unlock()
	t.proceed(a)
}

// proceed takes a request out, and reports whether it was waiting until now. The caller
// holds the lock.
func (t *Calls) proceed(a *Arrival) bool {
	id := a.Message.ID
	if !a.Waits || t.waiting[string(id)] != a {
		return false
	}
	delete(t.waiting, string(id))
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
	return t.find(id).call != nil || t.waiting[string(id)] != nil || t.streams[string(id)] != nil
}

// end takes a call out, before anything else may use it. It reports false if the call
// was cancelled.
func (t *Calls) end(call *Call) bool {
	t.lock.Lock()
	defer t.lock.Unlock()
	if !t.runs(call) {
		return false
	}
	t.remove(call.arrival.Message.ID)
	return true
}

// remove takes the call of a raw id out. The caller holds the lock.
func (t *Calls) remove(id []byte) {
	if t.only.call != nil && bytes.Equal(t.id, id) {
		t.only, t.id = running{}, nil
	} else {
		delete(t.open, string(id))
	}
}

// runs reports whether a call is in the table: one that is not was cancelled, although
// it may not know that yet. The caller holds the lock.
func (t *Calls) runs(call *Call) bool {
	return t.find(call.arrival.Message.ID).call == call
}

// Runs reports whether a call was not cancelled.
func (t *Calls) Runs(call *Call) bool {
	t.lock.Lock()
	defer t.lock.Unlock()
	return t.runs(call)
}

// Cancel ends the call or the stream with that raw id and silences its answer. An id
// that isn't running is ignored: the answer may have crossed the cancellation.
func (t *Calls) Cancel(id []byte) {
	if t == nil || id == nil {
		return
	}
	t.lock.Lock()
	found, stream := t.find(id), t.streams[string(id)]
	t.remove(id)
	delete(t.waiting, string(id))
	t.lock.Unlock()
	if stream != nil {
		stream.cancel()
	}
	found.cancel()
}

// Close ends all calls in silence, those too that are about to begin: their client is
// gone.
func (t *Calls) Close() {
	t.lock.Lock()
	all := t.all()
	t.only, t.id, t.open, t.waiting, t.closed = running{}, nil, nil, nil, true
	t.lock.Unlock()
	for _, call := range all {
		call.cancel()
	}
}

// Closed reports whether the client is gone.
func (t *Calls) Closed() bool {
	if t == nil {
		return false
	}
	t.lock.Lock()
	defer t.lock.Unlock()
	return t.closed
}

// EndAll ends the contexts of all running calls, which may still answer.
func (t *Calls) EndAll() {
	t.lock.Lock()
	all := t.all()
	t.lock.Unlock()
	for _, call := range all {
		call.end()
	}
}

// all returns the calls. The caller holds the lock.
func (t *Calls) all() (all []running) {
	if t.only.call != nil {
		all = append(all, t.only)
	}
	for _, call := range t.open {
		all = append(all, call)
	}
	return all
}

// silence ends the call without an answer. The caller holds the lock, which silence
// gives up.
func (call *Call) silence() {
	call.answered, call.outcome, call.ended = true, OutcomeCancelled, context.Canceled
	call.reply.Finish(http.StatusAccepted, nil)
	ctx, lifecycle := call.ctx, call.core.lifecycle
	call.answer.Unlock() // from here on the call may be used for another
	if ctx != nil {
		ctx.end(context.Canceled)
	}
	lifecycle.end()
}
