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
	open map[string]*Call
}

// begin enters a call, and reports false when its id is already there.
func (t *Calls) begin(call *Call) bool {
	t.lock.Lock()
	defer t.lock.Unlock()
	id := string(call.arrival.Message.ID)
	if t.open[id] != nil {
		return false
	}
	if t.open == nil {
		t.open = map[string]*Call{}
	}
	t.open[id] = call
	call.id = id
	return true
}

func (t *Calls) end(call *Call) {
	t.lock.Lock()
	defer t.lock.Unlock()
	if t.open[call.id] == call {
		delete(t.open, call.id)
	}
}

// Cancel ends the call with that raw id and silences its answer. An id that isn't
// running is ignored: the answer may have crossed the cancellation.
func (t *Calls) Cancel(id []byte) {
	if t == nil || id == nil {
		return
	}
	t.lock.Lock()
	call := t.open[string(id)]
	t.lock.Unlock()
	if call != nil {
		call.cancel()
	}
}

// CancelAll ends all running calls, as when their client is gone.
func (t *Calls) CancelAll() {
	t.lock.Lock()
	var calls []*Call
	for _, call := range t.open {
		calls = append(calls, call)
	}
	t.lock.Unlock()
	for _, call := range calls {
		call.cancel()
	}
}

// cancel ends the call's context and silences the reply.
func (call *Call) cancel() {
	call.end(context.Canceled)
	call.finish("cancelled", http.StatusAccepted, nil)
}
