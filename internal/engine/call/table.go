package call

import (
	"bytes"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/fault"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// A Table holds the running calls and open subscriptions of one client, by their ids. A
// client can only cancel those in its own table. The zero value is empty.
type Table struct {
	lock          sync.Mutex
	calls         []*Call
	waiting       []*Arrival // requests whose calls haven't begun
	subscriptions []Subscription
	closed        bool // whether calls are refused
}

// A Subscription is an open subscriptions/listen of a client.
type Subscription interface {
	ID() []byte // the raw id of its request

	// Cancel ends the subscription without an answer.
	Cancel()

	// End ends the subscription with its answer, and calls sent when its stream has ended.
	End(sent func())
}

// An admission says whether a call may begin.
type admission int

const (
	admitted admission = iota
	idInUse            // by another call
	canceled           // before it began
)

// begin enters a call.
func (t *Table) begin(c *Call) admission {
	t.lock.Lock()
	defer t.lock.Unlock()
	waited := t.proceed(c.arrival)
	switch {
	case t.closed, c.arrival.Waits && !waited:
		return canceled
	case t.has(c.id):
		return idInUse
	}
	t.calls = append(t.calls, c)
	return admitted
}

// Await enters a request whose call hasn't begun, so that it can be canceled meanwhile. It
// returns an error if the id is in use.
func (t *Table) Await(a *Arrival) *exchange.Error {
	if t == nil {
		return nil
	}
	t.lock.Lock()
	defer t.lock.Unlock()
	if t.has(a.Message.ID) {
		return fault.IDInUse(a.Message.ID)
	}
	t.waiting = append(t.waiting, a)
	a.Waits = true
	return nil
}

// Leave removes a request that didn't become a call.
func (t *Table) Leave(a *Arrival) {
	if t == nil {
		return
	}
	t.lock.Lock()
	defer t.lock.Unlock()
	t.proceed(a)
}

// proceed removes a waiting request, and reports whether the table had it. The caller holds
// the lock.
func (t *Table) proceed(a *Arrival) bool {
	i := slices.Index(t.waiting, a)
	if i >= 0 {
		t.waiting = slices.Delete(t.waiting, i, i+1)
	}
	return i >= 0
}

// has reports whether a raw id is in use. The caller holds the lock.
func (t *Table) has(id []byte) bool {
	return t.call(id) >= 0 || t.arrival(id) >= 0 || t.subscription(id) >= 0
}

// call returns the index of the call with a raw id, or -1. The caller holds the lock, as
// for the next two methods.
func (t *Table) call(id []byte) int {
	return slices.IndexFunc(t.calls, func(c *Call) bool { return bytes.Equal(c.id, id) })
}

func (t *Table) arrival(id []byte) int {
	return slices.IndexFunc(t.waiting, func(a *Arrival) bool { return bytes.Equal(a.Message.ID, id) })
}

func (t *Table) subscription(id []byte) int {
	return slices.IndexFunc(t.subscriptions, func(s Subscription) bool { return bytes.Equal(s.ID(), id) })
}

// end removes a call, so that its id can be used again. It reports false if the call was
// canceled.
func (t *Table) end(c *Call) bool {
	t.lock.Lock()
	defer t.lock.Unlock()
	i := slices.Index(t.calls, c)
	if i >= 0 {
		t.calls = slices.Delete(t.calls, i, i+1)
	}
	return i >= 0
}

// runs reports whether a call is in the table. One that isn't was canceled.
func (t *Table) runs(c *Call) bool {
	t.lock.Lock()
	defer t.lock.Unlock()
	return slices.Contains(t.calls, c)
}

// Cancel ends the call or subscription with a raw id and drops its answer. It reports false for
// an unknown id: the answer may have been sent meanwhile.
func (t *Table) Cancel(id []byte) (canceled bool) {
	if t == nil || id == nil {
		return false
	}
	t.lock.Lock()
	canceled = t.has(id)
	var subscription Subscription
	if i := t.call(id); i >= 0 {
		t.calls[i].cancel() // before it leaves the table: a call outside the table has ended
		t.calls = slices.Delete(t.calls, i, i+1)
	}
	if i := t.arrival(id); i >= 0 {
		t.waiting = slices.Delete(t.waiting, i, i+1)
	}
	if i := t.subscription(id); i >= 0 {
		subscription = t.subscriptions[i]
	}
	t.lock.Unlock()
	if subscription != nil {
		subscription.Cancel()
	}
	return canceled
}

// Close ends all calls without an answer, because the client has disconnected. Later calls
// are refused.
func (t *Table) Close() {
	t.lock.Lock()
	defer t.lock.Unlock()
	for _, c := range t.calls {
		c.cancel()
	}
	t.calls, t.waiting, t.closed = nil, nil, true
}

// Closed reports whether Close was called.
func (t *Table) Closed() bool {
	if t == nil {
		return false
	}
	t.lock.Lock()
	defer t.lock.Unlock()
	return t.closed
}

// EndCalls ends the contexts of all running calls, which may still be answered.
func (t *Table) EndCalls() {
	t.lock.Lock()
	calls := slices.Clone(t.calls)
	t.lock.Unlock()
	for _, c := range calls {
		c.End()
	}
}

// Open adds a subscription, or returns why it can't.
func (t *Table) Open(s Subscription) *exchange.Error {
	t.lock.Lock()
	defer t.lock.Unlock()
	switch {
	case t.has(s.ID()):
		return fault.IDInUse(s.ID())
	case len(t.subscriptions) >= limits.MaxConnectionStreams:
		return fault.Unavailable("The connection has %d streams open, the maximum; cancel one, or ask for more in one subscriptions/listen", limits.MaxConnectionStreams)
	}
	t.subscriptions = append(t.subscriptions, s)
	return nil
}

// Forget removes a subscription.
func (t *Table) Forget(s Subscription) {
	t.lock.Lock()
	defer t.lock.Unlock()
	if i := slices.Index(t.subscriptions, s); i >= 0 {
		t.subscriptions = slices.Delete(t.subscriptions, i, i+1)
	}
}

// EndSubscriptions ends the client's subscriptions with their answers. It returns a channel
// that is closed when the answers are sent, unless it is called again meanwhile.
func (t *Table) EndSubscriptions() <-chan struct{} {
	t.lock.Lock()
	defer t.lock.Unlock()
	var left atomic.Int64
	left.Store(int64(len(t.subscriptions)) + 1)
	all := make(chan struct{})
	sent := func() {
		if left.Add(-1) == 0 {
			close(all)
		}
	}
	for _, s := range t.subscriptions {
		s.End(sent)
	}
	sent()
	return all
}
