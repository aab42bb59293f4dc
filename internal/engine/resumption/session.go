// Package resumption lets older clients resume a stream of server-sent events on a new
// connection after the first one broke. The specification calls that resumability and
// redelivery.
//
// A [Session] has the streams of one client. A [Stream] turns its messages into numbered
// events, puts each event into the [Store], and sends it on its current [Connection], if it
// has one. A client reconnects with the id of the last event that it received. The stream
// then replays the later events from the store, and continues with new ones.
//
// If several processes share a store, a client may reconnect to any of them. One that doesn't
// run the stream follows it: it sends the events that appear in the store, until the last one.
// An event is stored before it is sent, so that no client has an id that the store doesn't know,
// unless the store fails: then messages are sent all the same, and a client that loses its
// connection meanwhile doesn't get them again.
package resumption

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/shared"
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

// A Session has the streams of one client. The number of an event is unique in it. In a store
// that processes share, each has a Session with the same id.
type Session struct {
	store   Store
	id      string
	client  throttle.Key
	resumes bool

	lock      sync.Mutex
	key       string             // the session's name in the store and in event ids; "" before it is needed
	streams   map[uint64]*Stream // by number; the open streams and those being replayed
	listening []*Stream          // the streams that the client opened to listen
	begun     uint64             // number of the last stream
	last      uint64             // number of the last event
	closed    bool
}

// NewSession returns a client's session without streams, which puts its events into store. No
// other client may know its id. Resumes says whether the client's version lets a stream outlive
// its connection.
func NewSession(store Store, id string, client throttle.Key, resumes bool) *Session {
	return &Session{store: store, id: id, client: client, resumes: resumes}
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
	if s.shares() {
		after = s.announce(context.Background(), stream)
	}
	stream.Connect(context.Background(), call, after)
	return stream
}

// Open returns the stream with the last event that a client received, and the number of that
// event. Without a last event id, it returns a new stream to listen. The caller connects the
// stream, and finally releases it. The error is one of ErrTooManyStreams, ErrUnknownEvent
// and ErrEnded, or an error of the store.
func (s *Session) Open(ctx context.Context, lastEventID string) (stream *Stream, after uint64, err error) {
	if lastEventID == "" {
		return s.listen(ctx)
	}
	number, after, ok := s.parse(lastEventID)
	if !ok {
		return nil, 0, ErrUnknownEvent
	}
	if stream := s.running(ctx, number); stream != nil && !s.shares() {
		return stream, after, nil
	}
	events, err := s.store.Events(ctx, s.key, number, 0)
	if err != nil {
		return nil, 0, err
	}
	if stream := s.running(ctx, number); stream != nil {
		return stream, after, nil
	}
	if len(events) == 0 {
		return nil, 0, ErrUnknownEvent
	}
	last := events[len(events)-1]
	ended := last.Last || !s.shares()
	if ended && last.Number <= after {
		return nil, 0, ErrEnded
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	if stream = s.streams[number]; stream == nil {
		stream = &Stream{session: s, number: number, ended: ended, listens: last.Listens, follows: !ended && !last.Listens}
		s.keep(stream)
		s.last = max(s.last, last.Number, after)
	}
	if stream.ctx == nil {
		stream.ctx = ctx // so that listen doesn't remove the stream
	}
	return stream, after, nil
}

// running returns a stream that has not ended, or nil. Since its context is set, listen
// doesn't remove it.
func (s *Session) running(ctx context.Context, number uint64) *Stream {
	s.lock.Lock()
	defer s.lock.Unlock()
	stream := s.streams[number]
	if stream == nil || stream.ended {
		return nil
	}
	if stream.ctx == nil {
		stream.ctx = ctx
	}
	return stream
}

// shares reports whether other processes may run or follow the streams of the session.
func (s *Session) shares() bool { return s.store.Shares() }

// listen adds a stream that the client opens to listen. If there are too many, it replaces
// one that has no connection.
func (s *Session) listen(ctx context.Context) (stream *Stream, after uint64, err error) {
	s.lock.Lock()
	var replaced *Stream
	if len(s.listening) >= limits.SessionListeners {
		idle := slices.IndexFunc(s.listening, func(stream *Stream) bool { return stream.ctx == nil })
		if idle < 0 {
			s.lock.Unlock()
			return nil, 0, ErrTooManyStreams
		}
		replaced = s.listening[idle]
		s.remove(replaced)
	}
	stream = s.add()
	after = s.last
	stream.listens, stream.ctx = true, ctx
	if !s.closed {
		s.listening = append(s.listening, stream)
	}
	s.lock.Unlock()
	if replaced != nil {
		_ = s.store.Delete(ctx, s.key, replaced.number) // it would expire
	}
	if s.shares() {
		after = s.announce(ctx, stream)
	}
	return stream, after, nil
}

// announce stores that a stream has begun, so that a client which loses its connection before
// the first message can resume the stream in another process. It returns the event's number.
func (s *Session) announce(ctx context.Context, stream *Stream) (number uint64) {
	s.lock.Lock()
	s.last++
	e := Event{Stream: stream.number, Number: s.last, Listens: stream.listens}
	s.lock.Unlock()
	if s.resumes {
		_ = s.store.Append(ctx, s.client, s.key, e) // the store has logged why
	}
	return e.Number
}

// add adds a stream. The caller holds the lock.
func (s *Session) add() *Stream {
	s.prepare()
	s.begun++
	stream := &Stream{session: s, number: s.begun, silent: true}
	if !s.closed {
		s.streams[stream.number] = stream
	}
	return stream
}

// keep adds a stream that was begun before. The caller holds the lock.
func (s *Session) keep(stream *Stream) {
	if s.closed || s.streams[stream.number] != nil {
		return
	}
	s.streams[stream.number] = stream
	if stream.listens && !stream.ended {
		s.listening = append(s.listening, stream)
	}
}

// prepare sets the key, and lets streams count from a number that no other process with a
// session of that id has chosen. The key is a hash, since the id is secret and may be long. The
// caller holds the lock.
func (s *Session) prepare() {
	if s.key != "" {
		return
	}
	var seed [8]byte
	_, _ = rand.Read(seed[:]) // never fails
	s.key, s.streams = shared.Key(s.id), map[uint64]*Stream{}
	s.begun = binary.NativeEndian.Uint64(seed[:]) >> 2
}

// remove removes a stream. The caller holds the lock.
func (s *Session) remove(stream *Stream) {
	if s.streams[stream.number] == stream {
		delete(s.streams, stream.number)
	}
	if stream.listens {
		s.listening = slices.DeleteFunc(s.listening, func(other *Stream) bool { return other == stream })
	}
}

// maxNumber is the largest number of an event, so that none overflows.
const maxNumber = 1 << 62

// parse reads the id of an event of the session. Another process may have sent events that
// this one doesn't know.
func (s *Session) parse(eventID string) (stream, event uint64, ok bool) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.prepare()
	key, numbers, _ := strings.Cut(eventID, "-")
	first, second, _ := strings.Cut(numbers, "-")
	stream, err := strconv.ParseUint(first, 10, 64)
	if err != nil {
		return 0, 0, false
	}
	event, err = strconv.ParseUint(second, 10, 64)
	return stream, event, err == nil && key == s.key && (event <= s.last || s.shares() && event < maxNumber)
}

// record turns a stream's message into an event and puts it into the store. It returns the
// event's number and the stream's connection, nil if there is none. The caller holds the
// sending lock of the stream.
func (s *Session) record(stream *Stream, message [][]byte, last bool) (number uint64, c Connection) {
	e := Event{Stream: stream.number, Message: bytes.Join(message, nil), Last: last, Listens: stream.listens}
	if last && e.size() > limits.SessionEventBytes {
		e.Message = tooLarge(e.Message) // without it, a client that reconnects would believe the stream complete
	}
	known, ok := s.number(stream, &e)
	if !ok {
		return 0, nil
	}
	stored := known && e.size() <= limits.SessionEventBytes
	if stored {
		_ = s.store.Append(context.Background(), s.client, s.key, e) // the store has logged why
	}
	s.lock.Lock()
	stream.stored = stream.stored || stored
	if stream.live {
		c = stream.connection
	}
	removed := stored && s.streams[stream.number] != stream
	s.lock.Unlock()
	if removed { // meanwhile, so the event has no owner
		_ = s.store.Delete(context.Background(), s.key, stream.number)
	}
	return e.Number, c
}

// number gives an event of a stream its number. It reports whether the session has the stream,
// and whether the stream still takes events.
func (s *Session) number(stream *Stream, e *Event) (known, ok bool) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if stream.ended {
		return false, false
	}
	s.last++
	e.Number = s.last
	stream.ended, stream.silent = e.Last, false
	return s.streams[stream.number] == stream, true
}

// tooLarge returns the error response to store instead of an answer that is too large for
// the store.
func tooLarge(answer []byte) []byte {
	var m jsonrpc.Message
	_ = m.Scan(answer) // the server wrote it, so it is valid
	return jsonrpc.AppendError(nil, m.ID, exchange.CodeInternalError,
		fmt.Sprintf("The answer is lost: it was larger than %d MiB, too large to keep until the client reconnects; call again", limits.SessionEventBytes>>20), nil)
}

// Close deletes the events of the session that this process has stored, and ends its
// connections, except those of calls, which end with their answers.
func (s *Session) Close() {
	s.lock.Lock()
	s.closed = true
	for _, stream := range s.streams {
		if c := stream.connection; c != nil && c != stream.call {
			go c.Disconnect(0) // it may block
		}
	}
	clear(s.streams)
	s.listening = nil
	key := s.key
	s.lock.Unlock()
	_ = s.store.DeleteSession(context.Background(), key) // they would expire
}
