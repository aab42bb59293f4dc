package transport

import (
	"context"
	"fmt"
	"time"

	"github.com/bowline-mcp/bowline/internal/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/protocol"
)

// received is a message that a stream has received, and the reply to it.
type received struct {
	stream  *Stream
	ctx     context.Context
	arrival protocol.Arrival
	buffer  *[]byte
	counted bool // whether it holds one of the places of running calls
}

// Notify writes a notification.
func (r *received) Notify(frame *jsonrpc.Frame) error { return r.stream.send(frame) }

// Within does nothing: a stream has no deadline for an answer.
func (r *received) Within(time.Duration) {}

// Late does nothing: a stream goes on.
func (r *received) Late() {}

// Hold keeps the message as the reply that it is, but not its bytes. A client that is
// gone is found out by the stream.
func (r *received) Hold(func(error)) bool {
	r.leave()
	return true
}

// Finish writes the answer. A nil frame, or the refusal of what isn't a request, is
// none.
func (r *received) Finish(_ int, frame *jsonrpc.Frame, rest ...[]byte) {
	if kind := r.arrival.Message.Kind; frame != nil && kind != jsonrpc.Notification && kind != jsonrpc.Response {
		if err := r.stream.send(frame, rest...); err != nil {
			r.stream.logger.Error("writing an answer", "error", err)
		}
	}
	r.leave()
}

// leave gives the place of a running call to the next.
func (r *received) leave() {
	if !r.counted {
		return
	}
	r.counted = false
	r.stream.queue.leave(func(next *received) {
		next.counted = true
		go r.stream.serve(next)
	})
}

// receive takes a message, and owns its buffer. What doesn't take time it serves. It
// returns a call that is to be served now, if that is what the message is.
func (s *Stream) receive(ctx context.Context, buffer *[]byte) *received {
	in, ok := s.idle.Get().(*received)
	if !ok {
		in = &received{}
	}
	in.stream, in.buffer, in.ctx = s, buffer, ctx
	a := &in.arrival
	a.Calls, a.HTTP = &s.calls, s.request
	if err := s.scanner.Scan(&a.Message, *buffer); err != nil {
		s.refuse(a.Message.ID, protocol.Malformed(err))
		s.buffers.put(buffer)
		return nil
	}
	if !s.takesTime(&a.Message) {
		if string(a.Message.Method) == "notifications/cancelled" {
			s.queue.drop(a.Message.RequestID)
		}
		s.serve(in)
		return nil
	}
	if s.stopping.Load() {
		s.refuseCall(in, shuttingDown())
		s.buffers.put(buffer)
		return nil
	}
	switch s.queue.enter(in) {
	case refused:
		s.refuseCall(in, &protocol.Fault{Code: jsonrpc.InternalError, Message: fmt.Sprintf(
			"The server is busy: %d calls run and no more may wait; try again later", s.limits.Calls)})
		s.buffers.put(buffer)
		return nil
	case waits:
		return nil
	case runs:
	}
	in.counted = true
	return in
}

// takesTime reports whether a message runs a handler, and so counts as a call.
func (s *Stream) takesTime(m *jsonrpc.Message) bool {
	switch m.Kind {
	case jsonrpc.Request:
		return string(m.Method) != "ping"
	case jsonrpc.Notification:
		return s.core.Hears(m.Method)
	case jsonrpc.Batch: // one of answers has to get through when all places are taken
		for member, err := range m.Members() {
			if err == nil && member.Kind != jsonrpc.Batch && s.takesTime(member) {
				return true
			}
		}
		return false
	default:
		return false
	}
}

// serve hands a message to its era, and gives the buffer back.
func (s *Stream) serve(in *received) {
	a := &in.arrival
	era, fault := protocol.Classify(&a.Message, nil)
	switch {
	case fault != nil:
		s.core.Refuse(a.Message.ID, fault, protocol.Newest, in)
	case era == protocol.Modern && s.request != nil:
		s.core.Refuse(a.Message.ID, notOverEvents(), protocol.Newest, in)
	case era == protocol.Modern:
		s.core.Serve(in.ctx, a, in)
	case s.guest == nil:
		s.core.Refuse(a.Message.ID, s.core.NoHandshake(&a.Message), protocol.Newest, in)
	default:
		s.guest.Serve(in.ctx, a, in)
	}
	s.buffers.put(in.buffer)
	if !a.Kept {
		*in = received{}
		s.idle.Put(in)
	}
}

// refuseCall refuses what isn't run. A notification gets no answer.
func (s *Stream) refuseCall(in *received, fault *protocol.Fault) {
	if m := &in.arrival.Message; m.Kind == jsonrpc.Request || m.Kind == jsonrpc.Batch {
		s.refuse(m.ID, fault)
	}
}
