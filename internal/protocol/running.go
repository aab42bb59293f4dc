package protocol

import "context"

// A running call is known by its number too, since calls are used again.
type running struct {
	call   *Call
	number uint64
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

// cancel ends the call's context and silences the reply, unless the call is over. It
// doesn't wait until that is done: something may be on its way to a client that doesn't
// read.
func (r running) cancel() {
	if r.call == nil {
		return
	}
	go func() {
		r.call.answer.Lock()
		if r.call.number != r.number || r.call.answered {
			r.call.answer.Unlock()
			return
		}
		r.call.silence()
	}()
}
