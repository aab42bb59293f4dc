// Package resumption lets a client whose connection breaks have the rest of a stream on
// another connection. The specification calls that resumability and redelivery.
//
// A [Session] has the streams of one client. A [Stream] numbers its messages, which
// makes events of them, puts each event into the [Store], and sends it on the
// [Connection] that the stream has at that moment, if it has one. A client that comes
// back with the id of the last event that it got is sent the later ones from the store,
// and then what follows.
package resumption

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/bowline-mcp/bowline/internal/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// Why [Session.Open] returns no stream.
var (
	ErrTooManyStreams = errors.New("the session has as many streams open as it may have")
	ErrUnknownEvent   = errors.New("the session has no event of that id, or not any more")
	ErrEnded          = errors.New("the stream has ended, and nothing follows the event")
)

// A Session has the streams of one client. The number of an event is unique in it.
type Session struct {
	store   Store
	resumes bool

	lock      sync.Mutex
	id        string             // in the ids of the events, which no other session has; "" before the first stream
	streams   map[uint64]*Stream // by their numbers: those that go on, and those that are being replayed
	listening []*Stream          // those of them that the client has opened to listen
	begun     uint64             // streams so far
	last      uint64             // event so far
	closed    bool
}

// NewSession returns a session without streams, whose events go into a store. Resumes
// says whether the client knows that a stream outlives its connection.
func NewSession(store Store, resumes bool) *Session { return &Session{store: store, resumes: resumes} }

// Resumes reports whether the client comes back for the rest of a stream. Older ones may
// do so after an event with an id, but take an event without data for a mistake.
func (s *Session) Resumes() bool { return s.resumes }

// Begin begins the stream that answers a call, on the connection of the call.
func (s *Session) Begin(call Connection) *Stream {
	s.lock.Lock()
	stream, after := s.add(), s.last
	stream.call = call
	s.lock.Unlock()
	stream.Connect(context.Background(), call, after)
	return stream
}

// Open returns the stream that a client asks for, and the number of the event after
// which it wants to go on: a new stream to listen, or that of the last event which it
// got. The caller connects the stream, and releases it in the end. The error is one of
// ErrTooManyStreams, ErrUnknownEvent and ErrEnded.
func (s *Session) Open(ctx context.Context, lastEventID string) (stream *Stream, after uint64, err error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if lastEventID == "" {
		stream, err = s.listen(ctx)
		return stream, s.last, err
	}
	number, after, ok := s.parse(lastEventID)
	if !ok {
		return nil, 0, ErrUnknownEvent
	}
	stream = s.streams[number]
	if stream == nil || stream.ended {
		events := s.store.Events(s.id, number)
		switch {
		case len(events) == 0:
			return nil, 0, ErrUnknownEvent
		case events[len(events)-1].Number <= after:
			return nil, 0, ErrEnded
		case stream == nil:
			stream = &Stream{session: s, number: number, ended: true}
			s.streams[number] = stream
		}
	}
	if stream.ctx == nil {
		stream.ctx = ctx // so that it doesn't give way to another
	}
	return stream, after, nil
}

// listen adds a stream that the client opens to listen. One that the client has left
// gives way. The caller holds the lock.
func (s *Session) listen(ctx context.Context) (*Stream, error) {
	if len(s.listening) >= limits.SessionListeners {
		left := slices.IndexFunc(s.listening, func(stream *Stream) bool { return stream.ctx == nil })
		if left < 0 {
			return nil, ErrTooManyStreams
		}
		s.store.Delete(s.id, s.listening[left].number)
		s.remove(s.listening[left])
	}
	stream := s.add()
	stream.listens, stream.ctx = true, ctx
	if !s.closed {
		s.listening = append(s.listening, stream)
	}
	return stream, nil
}

// add adds a stream. The caller holds the lock.
func (s *Session) add() *Stream {
	if s.id == "" {
		s.id, s.streams = rand.Text(), map[uint64]*Stream{}
	}
	s.begun++
	stream := &Stream{session: s, number: s.begun}
	if !s.closed {
		s.streams[stream.number] = stream
	}
	return stream
}

// remove takes a stream out. The caller holds the lock.
func (s *Session) remove(stream *Stream) {
	delete(s.streams, stream.number)
	if stream.listens {
		s.listening = slices.DeleteFunc(s.listening, func(other *Stream) bool { return other == stream })
	}
}

// parse reads the id of an event of the session. The caller holds the lock.
func (s *Session) parse(eventID string) (stream, event uint64, ok bool) {
	session, numbers, _ := strings.Cut(eventID, "-")
	first, second, _ := strings.Cut(numbers, "-")
	stream, err := strconv.ParseUint(first, 10, 64)
	if err != nil {
		return 0, 0, false
	}
	event, err = strconv.ParseUint(second, 10, 64)
	return stream, event, err == nil && session == s.id && event <= s.last
}

// keep makes an event of a stream's message, and puts it into the store. It returns the
// event's number, and the connection that the event is sent on, nil if there is none.
func (s *Session) keep(stream *Stream, message [][]byte, last bool) (number uint64, c Connection) {
	e := Event{Stream: stream.number, Message: bytes.Join(message, nil)}
	if last && e.size() > limits.SessionEventBytes {
		e.Message = tooLarge(e.Message) // so that a client that comes back isn't told that it has everything
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	if stream.ended {
		return 0, nil
	}
	s.last++
	e.Number = s.last
	stream.ended = last
	if s.streams[stream.number] == stream && e.size() <= limits.SessionEventBytes {
		s.store.Append(s.id, e)
		stream.kept = true
	}
	if stream.live {
		c = stream.connection
	}
	return e.Number, c
}

// tooLarge returns an answer in the place of one that can't be kept.
func tooLarge(answer []byte) []byte {
	var m jsonrpc.Message
	_ = m.Scan(answer) // it was written here, so that it is a message
	return jsonrpc.AppendError(nil, m.ID, -32603,
		fmt.Sprintf("The answer is gone: it was larger than %d MiB, and not kept for a client that comes back; call again", limits.SessionEventBytes>>20), nil)
}

// Deliver sends a message that belongs to no call, on one of the streams that the client
// has opened to listen. The message may depend on the context of the request that opened
// the stream, which isn't over before the message is sent; a nil message is not sent.
// Deliver reports false if no stream has a connection.
func (s *Session) Deliver(message func(context.Context) []byte) bool {
	for {
		stream := s.listener()
		if stream == nil {
			return false
		}
		if stream.deliver(message) {
			return true
		}
	}
}

// Listens reports whether a stream that the client has opened to listen has a connection.
func (s *Session) Listens() bool { return s.listener() != nil }

// listener returns a stream that the client listens to, nil if there is none.
func (s *Session) listener() *Stream {
	s.lock.Lock()
	defer s.lock.Unlock()
	for _, stream := range s.listening {
		if stream.live {
			return stream
		}
	}
	return nil
}

// EndListening ends the connections of the streams that the client has opened to listen.
func (s *Session) EndListening() {
	s.lock.Lock()
	defer s.lock.Unlock()
	for _, stream := range s.listening {
		if c := stream.disconnected(); c != nil {
			go c.Disconnect(0) // which may take a moment
		}
	}
}

// Close deletes what is kept of the session, and ends its connections, but for those of
// calls, which end with their answers.
func (s *Session) Close() {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.closed = true
	for _, stream := range s.streams {
		if c := stream.connection; c != nil && c != stream.call {
			go c.Disconnect(0) // which may take a moment
		}
	}
	s.store.DeleteSession(s.id)
	clear(s.streams)
	s.listening = nil
}
