package programs

import (
	"time"

	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
)

// A Request is one of a client that isn't answered yet. Over HTTP it may outlive its connection: the
// client resumes the stream of the answer on another one. The lock of the set guards it.
type Request[T any] struct {
	ID      string      // raw
	Program *Program[T] // the program that has the request, nil if none does
	Stream  *Stream     // nil unless it is subscriptions/listen

	client      *Client[T]
	call        *call   // nil if the log doesn't show it
	outcome     Outcome // zero until it has ended
	connections int     // how many connections may be for the answer
	ends        int     // how often the last of them has ended
}

// ResumeLimit is how long a replaced program is kept for a client whose connection has ended before
// the answer.
const ResumeLimit = time.Minute

// begin notes the program that is about to get the request. The caller holds the lock.
func (r *Request[T]) begin(p *Program[T]) {
	if r.hasEnded() {
		return
	}
	p.requests++
	if r.Program != nil {
		r.client.set.Release(r.Program)
	}
	r.Program = p
	r.client.requests[r.ID] = r
}

// hasEnded reports whether the request has ended.
func (r *Request[T]) hasEnded() bool { return r.outcome != (Outcome{}) }

// Finish ends the request, and logs a call. The caller holds the lock.
func (r *Request[T]) Finish(outcome Outcome) {
	if r.hasEnded() {
		return
	}
	r.outcome = outcome
	if r.client.requests[r.ID] == r {
		delete(r.client.requests, r.ID)
	}
	if r.Program != nil {
		r.client.set.Release(r.Program)
	}
	if r.call != nil {
		ended := r.client.set.Log.Ended
		if r.Program != nil {
			ended = r.Program.Stderr.Ended
		}
		ended(r.call.ended(outcome))
	}
}

// Answer ends the request with an answer that the client gets. The caller holds the lock.
func (r *Request[T]) Answer(m *jsonrpc.Message) {
	if r.call == nil {
		filled, _ := filledIn(m.Result)
		r.client.handshake.announced |= filled
	}
	r.Finish(outcome(m))
}

// Lose ends the request because its program has ended. It returns the error for the client, or nil
// if the program has answered. The caller holds the lock.
func (r *Request[T]) Lose() []byte {
	if r.hasEnded() && r.outcome != Lost() { // a client that has two connections gets it on both
		return nil
	}
	r.Finish(Lost())
	return jsonrpc.AppendError(nil, []byte(r.ID), InternalError, "the program ended before it answered: "+r.Program.Ending(), nil)
}

// Attach adds a connection that may be for the answer. The caller holds the lock.
func (r *Request[T]) Attach() { r.connections++ }

// Detach removes a connection. After the last one the request ends, with an outcome, unless the
// client can resume the stream of the answer: then it has ResumeLimit to do so. The caller holds
// the lock.
func (r *Request[T]) Detach(resumable bool, outcome Outcome) {
	r.connections--
	switch {
	case r.connections > 0 || r.hasEnded():
		return
	case !resumable || r.client.set.closed:
		r.Finish(outcome)
		return
	}
	r.ends++
	ends := r.ends
	time.AfterFunc(ResumeLimit, func() {
		r.client.set.Lock()
		defer r.client.set.Unlock()
		if r.connections == 0 && r.ends == ends {
			r.Finish(Left())
		}
	})
}
