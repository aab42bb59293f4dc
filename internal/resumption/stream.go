package resumption

import (
	"context"
	"strconv"
	"sync"
	"time"
)

// A Connection carries the events of one stream to the client. It is an HTTP response.
type Connection interface {
	// Event sends an event. One without a message tells the client only the id.
	Event(id []byte, message ...[]byte) error

	// Disconnect ends the connection; a retry of more than 0 tells the client when to
	// come back. It cuts off a write that is under way, rather than wait for it. It
	// reports false if the connection can't end before the call that it was made for.
	Disconnect(retry time.Duration) bool
}

// A Stream is a sequence of events: the answer to a call, or what a client that listens
// is told. It outlives its connection, and has one at a time.
type Stream struct {
	session *Session
	number  uint64
	listens bool // whether the client has opened it to listen

	sending sync.Mutex // held while a message is kept and sent, so that messages come in order
	eventID []byte     // of the event that is sent

	// The lock of the session guards what follows.
	connection Connection      // nil if the stream has none
	live       bool            // whether the connection has got what is kept, and gets what follows
	ctx        context.Context // of the request that opened the connection
	call       Connection      // of the request that the stream answers, until it is answered
	kept       bool            // whether any event was kept, to whose id the client may come back
	ended      bool
}

// Send keeps a message, given in pieces, and sends it if the stream has a connection.
func (s *Stream) Send(message ...[]byte) error {
	s.sending.Lock()
	defer s.sending.Unlock()
	return s.send(message, false)
}

// End ends the stream with its last message, or without one.
func (s *Stream) End(message ...[]byte) {
	s.sending.Lock()
	defer s.sending.Unlock()
	if message != nil {
		_ = s.send(message, true) // what the client doesn't get now, it comes back for
	}
	if c := s.finish(); c != nil {
		c.Disconnect(0)
	}
}

// Disconnect ends the stream's connection, but not the stream. The client is told to
// come back after that time.
func (s *Stream) Disconnect(retry time.Duration) {
	s.sending.Lock()
	defer s.sending.Unlock()
	if c, _ := s.current(); c != nil && c.Disconnect(retry) {
		s.leave(c)
	}
}

// Connect gives the stream a connection in the place of the one that it has: a client
// that comes back doesn't read the old one any more. The connection gets what is kept of
// the events after one, and then what follows. A client that resumes streams is told an
// id at once, since the connection may end before there is an event.
func (s *Stream) Connect(ctx context.Context, c Connection, after uint64) {
	before, ok := s.claim(ctx, c)
	if before != nil {
		before.Disconnect(0) // which ends a write that hangs, and holds the lock
	}
	if !ok {
		c.Disconnect(0)
		return
	}
	s.sending.Lock()
	defer s.sending.Unlock()
	if s.session.resumes {
		_ = c.Event(s.id(after)) // what the client doesn't get now, it comes back for
	}
	for _, e := range s.session.store.Events(s.session.id, s.number) {
		if e.Number <= after {
			continue
		}
		if err := c.Event(s.id(e.Number), e.Message); err != nil {
			s.leave(c)
			return
		}
	}
	if s.resume(c) {
		c.Disconnect(0)
	}
}

// Release takes a connection from the stream, when nothing is being sent: the request
// that opened the connection is over.
func (s *Stream) Release(c Connection) {
	s.sending.Lock()
	defer s.sending.Unlock()
	s.leave(c)
}

// deliver sends a message that may depend on the request which opened the connection. It
// reports false if the stream has no connection.
func (s *Stream) deliver(message func(context.Context) []byte) bool {
	s.sending.Lock()
	defer s.sending.Unlock()
	c, ctx := s.current()
	if c == nil {
		return false
	}
	if text := message(ctx); text != nil {
		_ = s.send([][]byte{text}, false) // what the client doesn't get now, it comes back for
	}
	return true
}

// send keeps a message and sends it. The caller holds the lock of sending.
func (s *Stream) send(message [][]byte, last bool) error {
	number, c := s.session.keep(s, message, last)
	if c == nil {
		return nil
	}
	err := c.Event(s.id(number), message...)
	if err != nil && s.leave(c) {
		c.Disconnect(0)
	}
	return err
}

// id returns the id of an event. The caller holds the lock of sending.
func (s *Stream) id(event uint64) []byte {
	s.eventID = append(append(s.eventID[:0], s.session.id...), '-')
	s.eventID = append(strconv.AppendUint(s.eventID, s.number, 10), '-')
	s.eventID = strconv.AppendUint(s.eventID, event, 10)
	return s.eventID
}

// current returns the connection that gets what follows, nil if there is none, and its
// context.
func (s *Stream) current() (Connection, context.Context) {
	s.session.lock.Lock()
	defer s.session.lock.Unlock()
	if !s.live {
		return nil, nil
	}
	return s.connection, s.ctx
}

// claim makes a connection the stream's, and returns the one that was. It reports false
// if the session has ended just now; the connection of the call goes on then.
func (s *Stream) claim(ctx context.Context, c Connection) (before Connection, ok bool) {
	s.session.lock.Lock()
	defer s.session.lock.Unlock()
	if s.session.closed && c != s.call {
		return nil, false
	}
	before = s.disconnected()
	s.connection, s.ctx = c, ctx
	if !s.session.closed {
		s.session.streams[s.number] = s // another connection may just have left it at its end
	}
	return before, true
}

// resume lets a connection have what follows, unless it was replaced meanwhile. It
// reports whether nothing follows.
func (s *Stream) resume(c Connection) (ended bool) {
	s.session.lock.Lock()
	defer s.session.lock.Unlock()
	s.live = s.connection == c && !s.ended
	return s.ended
}

// disconnected returns the connection and takes it from the stream. The caller holds the
// lock of the session.
func (s *Stream) disconnected() Connection {
	c := s.connection
	s.connection, s.live, s.ctx = nil, false, nil
	return c
}

// leave takes a connection from the stream, if it is the stream's. It reports whether it
// is one that the client has opened for the stream, rather than that of the call.
func (s *Stream) leave(c Connection) bool {
	s.session.lock.Lock()
	defer s.session.lock.Unlock()
	if s.connection != c {
		return false
	}
	s.disconnected()
	if s.ended || s.listens && !s.kept && !s.session.resumes { // the client knows no id to come back with
		s.session.remove(s)
	}
	return c != s.call
}

// finish notes that nothing follows, and returns the connection if it doesn't end by
// itself. One that is being replayed to ends with the replay.
func (s *Stream) finish() Connection {
	s.session.lock.Lock()
	defer s.session.lock.Unlock()
	s.ended = true
	call := s.call
	s.call = nil
	if !s.live && s.connection != nil {
		return nil
	}
	c := s.disconnected()
	s.session.remove(s)
	if c == call {
		return nil
	}
	return c
}
