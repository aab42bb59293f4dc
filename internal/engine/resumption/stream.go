package resumption

import (
	"context"
	"strconv"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/internal/limits"
)

// A Connection is an HTTP response that carries the events of one stream.
type Connection interface {
	// Event sends an event. Without a message, the event only carries the id.
	Event(id []byte, message ...[]byte) error

	// Apart sends the events that wait to be sent together. The next one, an answer, is sent
	// by itself.
	Apart()

	// Disconnect ends the connection, and interrupts a write in progress. If retry is more
	// than 0, the client is asked to reconnect after that time. Disconnect reports false if
	// the connection can't end before its call does.
	Disconnect(retry time.Duration) bool
}

// A Stream is a sequence of events: the messages of a call, or messages outside of calls to a
// client that listens. It outlives its connections, of which it has one at a time.
type Stream struct {
	session *Session
	number  uint64
	listens bool // whether the client opened it to listen
	follows bool // whether another process runs it

	sending sync.Mutex // held while a message is stored and sent, to keep messages in order
	eventID []byte     // buffer for the id of the current event

	// The lock of the session guards these fields.
	connection Connection      // nil if the stream has none
	live       bool            // whether the replay is over and the connection gets new events
	ctx        context.Context // of the request that opened the connection
	call       Connection      // of the call that the stream answers, until it is answered
	stored     bool            // whether any event was stored, so that the client can resume
	silent     bool            // whether it was begun here and has no message yet, so that there is nothing to replay
	ended      bool
}

// Send stores a message, given in pieces, and sends it if the stream has a connection.
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
		_ = s.send(message, true) // if it fails, the client can resume the stream
	}
	c := s.finish()
	if message == nil {
		s.session.conclude(s)
	}
	if c != nil {
		c.Disconnect(0)
	}
}

// Disconnect ends the stream's connection, but not the stream. The client is asked to
// reconnect after that time.
func (s *Stream) Disconnect(retry time.Duration) {
	s.sending.Lock()
	defer s.sending.Unlock()
	if c, _ := s.current(); c != nil && c.Disconnect(retry) {
		s.detach(c)
	}
}

// Connect replaces the stream's connection, since a client that reconnects no longer reads
// the old one. It replays the stored events after the given one, and then continues with new
// events. A client that can resume gets an id at once, since the connection may end before
// the first event.
func (s *Stream) Connect(ctx context.Context, c Connection, after uint64) {
	before, ok := s.attach(ctx, c)
	if before != nil {
		before.Disconnect(0) // interrupts a blocked write, which holds the lock
	}
	if !ok {
		c.Disconnect(0)
		return
	}
	s.sending.Lock()
	defer s.sending.Unlock()
	if s.session.resumes {
		_ = c.Event(s.id(after)) // if it fails, the client can resume the stream
	}
	if s.follows {
		go s.follow(ctx, c, after)
		return
	}
	events, err := s.past(ctx, after)
	if err != nil { // the store failed after Open
		s.detach(c)
		c.Disconnect(limits.FollowPause)
		return
	}
	for _, e := range events {
		if e.Message == nil { // it only says that the stream has begun or ended
			continue
		}
		if err := c.Event(s.id(e.Number), e.Message); err != nil {
			s.detach(c)
			return
		}
		after = e.Number
	}
	if s.resume(c, after) {
		c.Disconnect(0)
	}
}

// past returns the stored events after the given one. A stream without messages doesn't need
// the store, which may fail. The caller holds the sending lock.
func (s *Stream) past(ctx context.Context, after uint64) ([]Event, error) {
	s.session.lock.Lock()
	silent := s.silent
	s.session.lock.Unlock()
	if silent {
		return nil, nil
	}
	return s.session.store.Events(ctx, s.session.key, s.number, after)
}

// Release detaches a connection because its request is over. It waits until no message is
// being sent.
func (s *Stream) Release(c Connection) {
	s.sending.Lock()
	defer s.sending.Unlock()
	s.detach(c)
}

// deliver sends a message that may depend on the request that opened the connection. It
// reports false if the stream has no connection.
func (s *Stream) deliver(message func(context.Context) []byte) bool {
	s.sending.Lock()
	defer s.sending.Unlock()
	c, ctx := s.current()
	if c == nil {
		return false
	}
	if text := message(ctx); text != nil {
		_ = s.send([][]byte{text}, false) // if it fails, the client can resume the stream
	}
	return true
}

// send stores a message and sends it. The caller holds the sending lock.
func (s *Stream) send(message [][]byte, last bool) error {
	number, c := s.session.record(s, message, last)
	if c == nil {
		return nil
	}
	if last {
		c.Apart()
	}
	err := c.Event(s.id(number), message...)
	if err != nil && s.detach(c) {
		c.Disconnect(0)
	}
	return err
}

// id returns the id of an event. The caller holds the sending lock.
func (s *Stream) id(event uint64) []byte {
	s.eventID = append(append(s.eventID[:0], s.session.key...), '-')
	s.eventID = append(strconv.AppendUint(s.eventID, s.number, 10), '-')
	s.eventID = strconv.AppendUint(s.eventID, event, 10)
	return s.eventID
}

// current returns the connection that gets new events, or nil, and its context.
func (s *Stream) current() (Connection, context.Context) {
	s.session.lock.Lock()
	defer s.session.lock.Unlock()
	if !s.live {
		return nil, nil
	}
	return s.connection, s.ctx
}

// attach sets the stream's connection, and returns the previous one. It reports false if
// the session was closed meanwhile. The connection of a call is attached even then.
func (s *Stream) attach(ctx context.Context, c Connection) (before Connection, ok bool) {
	s.session.lock.Lock()
	defer s.session.lock.Unlock()
	if s.session.closed && c != s.call {
		return nil, false
	}
	before = s.takeConnection()
	s.connection, s.ctx = c, ctx
	s.session.keep(s) // may have been removed with the previous connection
	return before, true
}

// resume continues with new events on a connection, unless it was replaced meanwhile. It
// reports whether the stream has ended. New events count from the last one of the client, which
// another process may have sent.
func (s *Stream) resume(c Connection, last uint64) (ended bool) {
	s.session.lock.Lock()
	defer s.session.lock.Unlock()
	s.session.last = max(s.session.last, last)
	s.live = s.connection == c && !s.ended
	return s.ended
}

// takeConnection returns the connection and detaches it from the stream. The caller
// holds the lock of the session.
func (s *Stream) takeConnection() Connection {
	c := s.connection
	s.connection, s.live, s.ctx = nil, false, nil
	return c
}

// detach detaches a connection if it is the stream's current one. It reports whether it did,
// and false for the connection of the call.
func (s *Stream) detach(c Connection) bool {
	s.session.lock.Lock()
	defer s.session.lock.Unlock()
	if s.connection != c {
		return false
	}
	s.takeConnection()
	if s.ended || s.follows || s.listens && !s.stored && !s.session.resumes { // the client has no id from which to resume
		s.session.remove(s)
	}
	return c != s.call
}

// finish marks the stream as ended. It returns the connection if the caller has to end it: a
// replay ends its connection itself.
func (s *Stream) finish() Connection {
	s.session.lock.Lock()
	defer s.session.lock.Unlock()
	s.ended = true
	call := s.call
	s.call = nil
	if !s.live && s.connection != nil {
		return nil
	}
	c := s.takeConnection()
	s.session.remove(s)
	if c == call {
		return nil
	}
	return c
}
