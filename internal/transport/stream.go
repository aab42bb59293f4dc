package transport

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bowline-mcp/bowline/internal/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/protocol"
)

// A stream serves a core to one client, to whom whole messages go and from whom they
// come, in both eras at once. It is what stdio and the transports of a program's own
// have in common: whatever goes beyond reading and writing messages.
type stream struct {
	core   *protocol.Core
	guest  Guest // nil: modern clients only
	limits Limits
	logger *slog.Logger

	calls   protocol.Calls
	queue   queue
	scanner jsonrpc.Scanner // of the one goroutine that receives
	buffers buffers
	idle    sync.Pool  // of received messages that are over
	ended   chan error // what ended receiving

	stopping atomic.Bool // whether new calls are refused

	write sync.Mutex
	out   sink // nil when closed
}

// A sink takes the messages to the client, one at a time: the frame's message
// followed by rest.
type sink interface {
	write(frame *jsonrpc.Frame, rest [][]byte) error
}

// open makes the stream ready. A nil wing serves modern clients only.
func (s *stream) open(core *protocol.Core, wing Wing, out sink, limits Limits, logger *slog.Logger) {
	s.core, s.out, s.limits, s.logger, s.ended = core, out, limits, logger, make(chan error, 1)
	s.scanner.Depth = limits.Depth
	s.queue = queue{limit: limits.Calls, idle: make(chan struct{}, 1)}
	if wing != nil {
		s.guest = wing.Open(func(frame *jsonrpc.Frame) error { return s.send(frame) })
	}
}

// wait waits until there is nothing more to receive or the context ends, then lets
// the running calls end within the drain limit.
func (s *stream) wait(ctx context.Context) error {
	var err error
	select {
	case err = <-s.ended:
	case <-ctx.Done():
		s.stopping.Store(true)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		sent := s.calls.EndStreams()
		if !s.queue.wait(s.limits.Drain) {
			s.queue.clear(func(in *received) { s.refuseCall(in, shuttingDown()) })
			s.calls.EndAll()
			if !s.queue.wait(s.limits.DrainGrace) {
				s.calls.CancelAll()
			}
		}
		sent()
		s.close()
	}()
	select {
	case <-ended:
	case <-time.After(s.limits.Drain + 2*s.limits.DrainGrace):
		s.logger.Warn("stopped while an answer could not be written, since the client does not read")
	}
	return err
}

// close drops what is still written.
func (s *stream) close() {
	if s.guest != nil {
		s.guest.Close()
	}
	s.write.Lock()
	defer s.write.Unlock()
	s.out = nil
}

// stop ends wait: there is nothing more to receive, or nobody to write to.
func (s *stream) stop(err error) {
	select {
	case s.ended <- err:
	default: // it ends already
	}
}

// receive takes a message, and owns its buffer. What doesn't take time it serves. It
// returns a call that is to be served now, if that is what the message is.
func (s *stream) receive(ctx context.Context, buffer *[]byte) *received {
	in, ok := s.idle.Get().(*received)
	if !ok {
		in = &received{}
	}
	in.stream, in.buffer, in.ctx = s, buffer, ctx
	a := &in.arrival
	a.Calls = &s.calls
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
func (s *stream) takesTime(m *jsonrpc.Message) bool {
	switch m.Kind {
	case jsonrpc.Request:
		return string(m.Method) != "ping"
	case jsonrpc.Notification:
		return s.core.Hears(m.Method)
	case jsonrpc.Batch: // one of answers has to get through when all places are taken
		for member := range m.Members() {
			if member.Kind != jsonrpc.Batch && s.takesTime(member) {
				return true
			}
		}
	}
	return false
}

// serve hands a message to its era, and gives the buffer back.
func (s *stream) serve(in *received) {
	a := &in.arrival
	era, fault := protocol.Classify(&a.Message, "")
	switch {
	case fault != nil:
		s.core.Refuse(a.Message.ID, fault, protocol.Newest, in)
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
func (s *stream) refuseCall(in *received, fault *protocol.Fault) {
	if m := &in.arrival.Message; m.Kind == jsonrpc.Request || m.Kind == jsonrpc.Batch {
		s.refuse(m.ID, fault)
	}
}

// refuse answers with an error before there is a call.
func (s *stream) refuse(id []byte, fault *protocol.Fault) {
	v := protocol.VersionUnknown
	if s.guest != nil {
		v = s.guest.Version()
	}
	s.core.Refuse(id, fault, v, &received{stream: s})
}

// send writes a message to the client.
func (s *stream) send(frame *jsonrpc.Frame, rest ...[]byte) error {
	s.write.Lock()
	defer s.write.Unlock()
	if s.out == nil {
		return protocol.ErrFinished
	}
	return s.out.write(frame, rest)
}

func shuttingDown() *protocol.Fault {
	return &protocol.Fault{Code: jsonrpc.InternalError, Message: "The server is shutting down; try again later"}
}
