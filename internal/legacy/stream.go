package legacy

import (
	"context"
	"strconv"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/internal/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/protocol"
	"github.com/bowline-mcp/bowline/internal/transport"
)

// A stream is one of a session's streams of events: the answer to a request, or one
// that the client has opened to be told what it hasn't asked for. It outlives the
// connection that carries it. A client that comes back with the id of the last event it
// has got is sent the later ones, and then what follows.
type stream struct {
	journal *journal
	number  uint64
	listens bool // whether the client has opened it, rather than a call

	sending sync.Mutex // held while a message is kept and sent, so that they come in order
	id      []byte     // of the event that is sent

	// The lock of the journal's shelf guards what follows.
	outlet transport.Outlet // nil when no connection carries the stream
	replay transport.Outlet // what is being sent the events that are kept, nil if nothing is
	call   transport.Outlet // the connection of the request, until that is answered
	ctx    context.Context  // of the connection that the client has opened
	kept   int              // events
	ended  bool
}

// Send keeps a message and sends it.
func (s *stream) Send(message ...[]byte) error {
	s.sending.Lock()
	defer s.sending.Unlock()
	return s.send(message, false)
}

// End ends the stream of an answer.
func (s *stream) End(message ...[]byte) {
	s.sending.Lock()
	defer s.sending.Unlock()
	if message != nil {
		_ = s.send(message, true) // what the client doesn't get now, it comes back for
	}
	if outlet := s.finish(); outlet != nil {
		outlet.HangUp(0)
	}
}

// HangUp ends the connection that carries the stream, but not the stream.
func (s *stream) HangUp(retry time.Duration) {
	s.sending.Lock()
	defer s.sending.Unlock()
	if outlet, _ := s.carrier(); outlet != nil && outlet.HangUp(retry) {
		s.leave(outlet)
	}
}

// tell sends the notification of a change, if the client may see what it is of. It
// reports false when no connection carries the stream.
func (s *stream) tell(core *protocol.Core, change protocol.Change) bool {
	s.sending.Lock()
	defer s.sending.Unlock()
	outlet, ctx := s.carrier()
	if outlet == nil {
		return false
	}
	if core.Shows(ctx, change) { // the context's request isn't over before we are
		frame := jsonrpc.NewFrame()
		defer frame.Free()
		frame.Close(change.AppendNotification(frame.Open(), nil))
		_ = s.send([][]byte{frame.JSON()}, false) // what the client doesn't get now, it comes back for
	}
	return true
}

// send keeps a message and sends it. The caller holds the lock of sending.
func (s *stream) send(message [][]byte, last bool) error {
	number, outlet := s.journal.keep(s, message, last)
	if outlet == nil {
		return nil
	}
	err := outlet.Event(s.eventID(number), message...)
	if err != nil && s.leave(outlet) {
		outlet.HangUp(0)
	}
	return err
}

// eventID returns the id of an event. The caller holds the lock of sending.
func (s *stream) eventID(number uint64) []byte {
	s.id = append(append(s.id[:0], s.journal.tag...), '-')
	s.id = append(strconv.AppendUint(s.id, s.number, 10), '-')
	s.id = strconv.AppendUint(s.id, number, 10)
	return s.id
}

// begin lets its first connection carry the stream. A client that comes back for the
// rest of a stream is told an id at once, since the connection may end before there is
// an event.
func (s *stream) begin(ctx context.Context, outlet transport.Outlet) {
	s.sending.Lock()
	defer s.sending.Unlock()
	if s.carry(ctx, outlet) {
		s.prime(outlet, s.journal.now())
	}
}

func (s *stream) prime(outlet transport.Outlet, number uint64) {
	if s.journal.resumes {
		_ = outlet.Event(s.eventID(number)) // what the client doesn't get now, it comes back for
	}
}

// resume lets an outlet carry the stream, beginning with what came after an event. Of
// the connection that carried it before, the client has had enough.
func (s *stream) resume(ctx context.Context, outlet transport.Outlet, after uint64) {
	s.cut() // a connection that hangs would hold the lock
	s.sending.Lock()
	defer s.sending.Unlock()
	s.cut() // one that has come at the same time
	s.replays(outlet)
	defer s.replays(nil)
	s.prime(outlet, after)
	events, ended := s.later(after)
	for _, e := range events {
		if err := outlet.Event(s.eventID(e.number), e.message); err != nil {
			return
		}
	}
	if ended {
		outlet.HangUp(0)
		return
	}
	s.carry(ctx, outlet)
}

// over reports whether nothing follows an event.
func (s *stream) over(after uint64) bool {
	events, ended := s.later(after)
	return ended && len(events) == 0
}

// later returns what was sent after an event, and whether that is all.
func (s *stream) later(after uint64) ([]event, bool) {
	s.journal.shelf.lock.Lock()
	defer s.journal.shelf.lock.Unlock()
	return s.journal.since(s, after), s.ended
}

// carrier returns the outlet that carries the stream, nil if none does, and its context.
func (s *stream) carrier() (transport.Outlet, context.Context) {
	s.journal.shelf.lock.Lock()
	defer s.journal.shelf.lock.Unlock()
	return s.outlet, s.ctx
}

// carry lets an outlet carry the stream, unless the session has ended just now. It
// reports whether that is so.
func (s *stream) carry(ctx context.Context, outlet transport.Outlet) bool {
	s.journal.shelf.lock.Lock()
	j, closed := s.journal, s.journal.closed
	if !closed || outlet == s.call {
		s.outlet, s.ctx = outlet, ctx
	}
	if s.listens && !closed && j.streams[s.number] == nil { // it has just given way to another
		j.streams[s.number] = s
		j.listening = append(j.listening, s)
	}
	j.shelf.lock.Unlock()
	if closed && outlet != s.call {
		outlet.HangUp(0)
		return false
	}
	return true
}

// replays notes what is being sent the events that are kept, so that it can be cut.
func (s *stream) replays(outlet transport.Outlet) {
	s.journal.shelf.lock.Lock()
	defer s.journal.shelf.lock.Unlock()
	s.replay = outlet
}

// cut ends the connection that carries the stream, or is about to, if any does.
func (s *stream) cut() {
	s.journal.shelf.lock.Lock()
	outlet, replay := s.outlet, s.replay
	s.outlet, s.ctx = nil, nil
	s.journal.shelf.lock.Unlock()
	for _, connection := range []transport.Outlet{outlet, replay} {
		if connection != nil {
			connection.HangUp(0)
		}
	}
}

// release waits for what is being sent, and takes an outlet from the stream: its request
// is over.
func (s *stream) release(outlet transport.Outlet) {
	s.sending.Lock()
	defer s.sending.Unlock()
	s.leave(outlet)
}

// leave notes that an outlet doesn't carry the stream any more. It reports whether the
// outlet is one that the client has opened.
func (s *stream) leave(outlet transport.Outlet) bool {
	s.journal.shelf.lock.Lock()
	defer s.journal.shelf.lock.Unlock()
	if s.outlet != outlet {
		return false
	}
	s.outlet, s.ctx = nil, nil
	if s.listens && s.kept == 0 && !s.journal.resumes {
		s.journal.remove(s) // the client knows no id to come back with
	}
	return outlet != s.call
}

// finish notes that nothing follows, and returns the outlet if it doesn't end by itself.
func (s *stream) finish() transport.Outlet {
	s.journal.shelf.lock.Lock()
	defer s.journal.shelf.lock.Unlock()
	if s.ended = true; s.kept == 0 {
		s.journal.remove(s)
	}
	outlet, call := s.outlet, s.call
	s.outlet, s.call = nil, nil
	if outlet == call {
		return nil
	}
	return outlet
}
