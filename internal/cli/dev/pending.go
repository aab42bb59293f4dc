package dev

import (
	"time"

	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
)

// A pending request is one over HTTP that isn't answered yet. In a session it may outlive its
// connection: the client resumes the stream of the answer on another one.
type pending struct {
	id      string   // raw
	call    *call    // nil if the log doesn't show it
	session *session // nil without one
	program *program

	// Guarded by the lock of the proxy.
	over     bool
	timer    *time.Timer // ends the request if its client doesn't come back; nil while the first connection lasts
	attached int         // later connections that may be for it
}

// resumeLimit is how long a replaced program is kept for a client whose connection has ended
// before the answer.
const resumeLimit = time.Minute

// newPending returns the requests in a message. Client is the name of a client that has sent
// initialize.
func newPending(m *jsonrpc.Message, client string) (requests []*pending) {
	for m := range messages(m) {
		if m.Kind == jsonrpc.Request {
			requests = append(requests, &pending{id: string(m.ID), call: newCall(m, client)})
		}
	}
	return requests
}

// finish ends a request, and writes the line of a call.
func (x *proxy) finish(r *pending, outcome string) {
	x.lock.Lock()
	defer x.lock.Unlock()
	if r.over {
		return
	}
	r.over = true
	if r.timer != nil {
		r.timer.Stop()
		x.decrement(r.program)
	}
	if r.session != nil {
		r.session.remove(r)
	}
	if r.call != nil {
		x.log.ended(r.call, outcome)
	}
}

// keep lets a request wait for its client to resume the stream of the answer. It reports false
// if the request has ended. The caller holds the program.
func (x *proxy) keep(r *pending) bool {
	x.lock.Lock()
	defer x.lock.Unlock()
	if r.over || x.closed {
		return false
	}
	r.program.running++
	r.timer = time.AfterFunc(x.resumeLimit, func() { x.abandon(r) })
	return true
}

// abandon ends a request whose client has left, and doesn't come back.
func (x *proxy) abandon(r *pending) {
	x.lock.Lock()
	left := r.timer != nil
	x.lock.Unlock()
	if left {
		x.finish(r, leftCall)
	}
}

// attach stops the time of the requests that a client's new connection may be for. The function
// that it returns starts it again, unless the client has opened another connection meanwhile.
func (x *proxy) attach(requests []*pending) (detach func()) {
	x.lock.Lock()
	defer x.lock.Unlock()
	for _, r := range requests {
		r.attached++
		if r.timer != nil {
			r.timer.Stop()
		}
	}
	return func() {
		x.lock.Lock()
		defer x.lock.Unlock()
		for _, r := range requests {
			r.attached--
			if r.timer != nil && !r.over && r.attached == 0 {
				r.timer.Reset(x.resumeLimit)
			}
		}
	}
}

// isPending reports whether a request hasn't ended.
func (x *proxy) isPending(r *pending) bool {
	x.lock.Lock()
	defer x.lock.Unlock()
	return !r.over
}

// lost returns the answer to a request whose program has ended.
func (r *pending) lost() []byte {
	return jsonrpc.AppendError(nil, []byte(r.id), internalError, "the program ended before it answered: "+r.program.Ending(), nil)
}

// Outcomes of calls without an answer.
const (
	lostCall      = "lost: the program ended"
	leftCall      = "no answer: the client left"
	cancelledCall = "cancelled"
)
