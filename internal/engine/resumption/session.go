// Package resumption lets older clients resume a stream of server-sent events on a new
// connection after the first one broke. The specification calls that resumability and
// redelivery.
//
// A [Session] has the streams of one client. A [Stream] turns its messages into numbered
// events, puts each event into the [Store], and sends it on its current [Connection], if it
// has one. A client reconnects with the id of the last event that it received. The stream
// then replays the later events from the store, and continues with new ones.
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

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/throttle"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// The errors of [Session.Open].
var (
	ErrTooManyStreams = errors.New("the session has too many open streams")
	ErrUnknownEvent   = errors.New("the session has no event with that id")
	ErrEnded          = errors.New("the stream has ended, and no events follow")
)

// A Session has the streams of one client. The number of an event is unique in it.
type Session struct {
	store   Store
	client  throttle.Key
	resumes bool

	lock      sync.Mutex
	id        string             // a unique part of the event ids; "" before the first stream
	streams   map[uint64]*Stream // by number; the open streams and those being replayed
	listening []*Stream          // the streams that the client opened to listen
	begun     uint64             // number of streams so far
	last      uint64             // number of the last event
	closed    bool
}

// NewSession returns a client's session without streams, which puts its events into store.
// Resumes says whether the client's version lets a stream outlive its connection.
func NewSession(store Store, client throttle.Key, resumes bool) *Session {
	return &Session{store: store, client: client, resumes: resumes}
}

// Resumes reports whether the client's version lets a stream outlive its connection. Clients
// of older versions can also resume after an event with an id, but they treat an event
// without data as an error.
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

// Open returns the stream with the last event that a client received, and the number of that
// event. Without a last event id, it returns a new stream to listen. The caller connects the
// stream, and finally releases it. The error is one of ErrTooManyStreams, ErrUnknownEvent
// and ErrEnded.
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
		stream.ctx = ctx // so that listen doesn't remove the stream
	}
	return stream, after, nil
}

// listen adds a stream that the client opens to listen. If there are too many, it replaces
// one that has no connection. The caller holds the lock.
func (s *Session) listen(ctx context.Context) (*Stream, error) {
	if len(s.listening) >= limits.SessionListeners {
		idle := slices.IndexFunc(s.listening, func(stream *Stream) bool { return stream.ctx == nil })
		if idle < 0 {
			return nil, ErrTooManyStreams
		}
		s.store.Delete(s.id, s.listening[idle].number)
		s.remove(s.listening[idle])
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

// remove removes a stream. The caller holds the lock.
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

// record turns a stream's message into an event and puts it into the store. It returns the
// event's number and the stream's connection, nil if there is none.
func (s *Session) record(stream *Stream, message [][]byte, last bool) (number uint64, c Connection) {
	e := Event{Stream: stream.number, Message: bytes.Join(message, nil)}
	if last && e.size() > limits.SessionEventBytes {
		e.Message = tooLarge(e.Message) // without it, a client that reconnects would believe the stream complete
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
		s.store.Append(s.client, s.id, e)
		stream.stored = true
	}
	if stream.live {
		c = stream.connection
	}
	return e.Number, c
}

// tooLarge returns the error response to store instead of an answer that is too large for
// the store.
func tooLarge(answer []byte) []byte {
	var m jsonrpc.Message
	_ = m.Scan(answer) // the server wrote it, so it is valid
	return jsonrpc.AppendError(nil, m.ID, exchange.CodeInternalError,
		fmt.Sprintf("The answer is lost: it was larger than %d MiB, too large to keep until the client reconnects; call again", limits.SessionEventBytes>>20), nil)
}

// Deliver sends a message that belongs to no call, on one of the streams that the client
// opened to listen. It calls message with the context of the request that opened the stream,
// which doesn't end before the message is sent. A nil message is not sent. Deliver reports
// false if no stream has a connection.
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

// Listens reports whether a stream that the client opened to listen has a connection.
func (s *Session) Listens() bool { return s.listener() != nil }

// listener returns a connected stream that the client opened to listen, or nil.
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

// EndListening ends the connections of the streams that the client opened to listen.
func (s *Session) EndListening() {
	s.lock.Lock()
	defer s.lock.Unlock()
	for _, stream := range s.listening {
		if c := stream.takeConnection(); c != nil {
			go c.Disconnect(0) // it may block
		}
	}
}

// Close deletes the events of the session and ends its connections, except those of calls,
// which end with their answers.
func (s *Session) Close() {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.closed = true
	for _, stream := range s.streams {
		if c := stream.connection; c != nil && c != stream.call {
			go c.Disconnect(0) // it may block
		}
	}
	s.store.DeleteSession(s.id)
	clear(s.streams)
	s.listening = nil
}
