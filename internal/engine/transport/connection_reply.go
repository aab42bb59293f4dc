package transport

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/fault"
	"github.com/bowline-mcp/bowline/internal/engine/protocol"
	"github.com/bowline-mcp/bowline/internal/engine/throttle"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// connectionReply is a message that a connection has received, and its reply.
type connectionReply struct {
	conn    *Connection
	ctx     context.Context
	arrival call.Arrival
	held    throttle.Holding // the memory of the message, if it is a call
	counted bool             // whether it counts as a running call
	told    time.Time        // when the last notification was written, zero if there is none
}

// Notify writes a notification.
func (r *connectionReply) Notify(frame *jsonrpc.Frame) error {
	err := r.conn.send(frame, nil)
	if r.counted { // several goroutines use a reply that was kept open
		r.told = time.Now()
	}
	return err
}

// ExtendTimeout does nothing: a connection has no deadline for an answer.
func (r *connectionReply) ExtendTimeout(time.Duration) {}

// HandlerStillRuns does nothing: the connection serves other calls meanwhile.
func (r *connectionReply) HandlerStillRuns() {}

// KeepOpen keeps the reply, but not its message. It needs no function for the end: the
// connection notices that its client disconnected.
func (r *connectionReply) KeepOpen(func(error)) bool {
	r.arrival.Message = jsonrpc.Message{Kind: jsonrpc.Request}
	r.leave()
	return true
}

// Finish writes the answer. There is none if the frame is nil or the message isn't a
// request.
func (r *connectionReply) Finish(answer call.Answer) {
	if answer.Refused {
		call.LogRefusal(r.ctx, r.conn.logger, slog.LevelWarn, answer.Error.Message, slog.String("method", call.Brief(r.arrival.Message.Method)))
	}
	if kind := r.arrival.Message.Kind; answer.Frame != nil && kind != jsonrpc.Notification && kind != jsonrpc.Response {
		if !r.told.IsZero() && r.conn.apart != nil {
			r.conn.apart(r.told)
		}
		if err := r.conn.send(answer.Frame, answer.Rest); err != nil {
			r.conn.logger.ErrorContext(r.ctx, "writing an answer", "error", err)
		}
	}
	r.leave()
}

// leave lets the next call run.
func (r *connectionReply) leave() {
	if !r.counted {
		return
	}
	r.counted = false
	r.release()
	r.conn.queue.leave(func(next *connectionReply) {
		next.counted = true
		go r.conn.serve(next)
	})
}

// release returns the memory of a call's message.
func (r *connectionReply) release() { r.conn.core.Server().Shares.Memory.Return(&r.held) }

// receive returns the call of a message if it can run now. It serves a message that runs
// no handler itself, and returns nil.
func (s *Connection) receive(ctx context.Context, message []byte) *connectionReply {
	in := &connectionReply{conn: s, ctx: ctx}
	a := &in.arrival
	a.Table, a.HTTP = &s.calls, s.request
	if err := a.Message.ScanTo(s.limits.Depth, message, &s.metas); err != nil {
		s.refuse(ctx, a.Message.ID, fault.Malformed(err))
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
		s.refuseCall(in, fault.ShuttingDown())
		return nil
	}
	if full := s.core.Server().Shares.Memory.Take(&in.held, int64(len(message)), s.request); full != nil {
		s.refuseCall(in, full)
		return nil
	}
	switch s.queue.enter(in) {
	case refused:
		in.release()
		s.refuseCall(in, &exchange.Error{Code: exchange.CodeInternalError, Message: fmt.Sprintf(
			"The server is busy: %d calls run and no more may wait; try again later", s.limits.Calls)})
		return nil
	case waits:
		return nil
	case runs:
	}
	in.counted = true
	return in
}

// takesTime reports whether a message runs a handler and so counts as a call. The handshake
// doesn't, so no later message is read before it has ended.
func (s *Connection) takesTime(m *jsonrpc.Message) bool {
	switch m.Kind {
	case jsonrpc.Request:
		return string(m.Method) != "ping" && string(m.Method) != "initialize"
	case jsonrpc.Notification:
		return s.core.HasListener(m.Method)
	case jsonrpc.Batch: // a batch of responses must not wait for running calls
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

// serve serves a message in its era.
func (s *Connection) serve(in *connectionReply) {
	a := &in.arrival
	era, refusal := protocol.Classify(&a.Message, nil)
	switch {
	case refusal != nil:
		call.Refuse(a.Message.ID, refusal, spec.Newest, in)
	case era == protocol.Modern && s.request != nil:
		call.Refuse(a.Message.ID, notOverEvents(), spec.Newest, in)
	case era == protocol.Modern:
		s.core.Serve(in.ctx, a, in)
	case s.session == nil:
		call.Refuse(a.Message.ID, s.core.NoHandshake(&a.Message), spec.Newest, in)
	default:
		s.session.Serve(in.ctx, a, in)
	}
}

// refuseCall answers a message that can't run with an error. A notification gets no answer.
func (s *Connection) refuseCall(in *connectionReply, refusal *exchange.Error) {
	if m := &in.arrival.Message; m.Kind == jsonrpc.Request || m.Kind == jsonrpc.Batch {
		s.refuse(in.ctx, m.ID, refusal)
	}
}
