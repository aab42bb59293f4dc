package legacy

import (
	"bytes"
	"container/list"
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bowline-mcp/bowline/internal/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/protocol"
	"github.com/bowline-mcp/bowline/internal/transport"
)

// A journal keeps the latest events of one session's streams. The number of an event
// is unique in the session.
type journal struct {
	shelf   *shelf
	resumes bool // whether the client knows that a stream outlives its connection

	// The lock of the shelf guards what follows.
	tag       string // in the ids of the events, which no other session has
	streams   map[uint64]*stream
	listening []*stream // those that the client has opened to be told what it hasn't asked for
	begun     uint64    // streams so far
	last      uint64    // event so far
	events    []event   // oldest first
	bytes     int
	place     *list.Element     // on the shelf, nil when nothing is kept
	missed    []protocol.Change // that happened while no stream could tell of them
	closed    bool
}

// An event is a message that is kept.
type event struct {
	stream  *stream
	number  uint64
	message []byte
}

func (e event) cost() int { return len(e.message) + eventCost }

// introduce says of which version the client is.
func (j *journal) introduce(shelf *shelf, v protocol.Version) {
	j.shelf, j.resumes = shelf, v >= protocol.Version20251125
}

// Resumes reports whether the client comes back for the rest of a stream. Older ones
// may do so after an event with an id, but take one without data for a mistake.
func (j *journal) Resumes() bool { return j.resumes }

// Begin begins the stream that answers a call.
func (j *journal) Begin(outlet transport.Outlet) transport.Record {
	j.shelf.lock.Lock()
	s := j.open()
	s.call = outlet
	j.shelf.lock.Unlock()
	s.begin(context.Background(), outlet)
	return s
}

// maxListening is how many streams a client may have open to be told what it hasn't
// asked for: one for each window of a program, say.
const maxListening = 8

// listen begins a stream that the client opens, or returns nil if it has too many. One
// that it has left gives way.
func (j *journal) listen(ctx context.Context) *stream {
	j.shelf.lock.Lock()
	defer j.shelf.lock.Unlock()
	if len(j.listening) >= maxListening {
		left := slices.IndexFunc(j.listening, func(s *stream) bool { return s.ctx == nil })
		if left < 0 {
			return nil
		}
		j.remove(j.listening[left])
	}
	s := j.open()
	s.listens, s.ctx = true, ctx
	j.listening = append(j.listening, s)
	return s
}

// open begins a stream. The caller holds the lock.
func (j *journal) open() *stream {
	if j.tag == "" {
		j.tag = rand.Text()
		j.streams = map[uint64]*stream{}
	}
	j.begun++
	s := &stream{journal: j, number: j.begun}
	if !j.closed {
		j.streams[s.number] = s
	}
	return s
}

// remove takes a stream out. The caller holds the lock.
func (j *journal) remove(s *stream) {
	delete(j.streams, s.number)
	if s.listens {
		j.listening = slices.DeleteFunc(j.listening, func(other *stream) bool { return other == s })
	}
}

// keep keeps a message of a stream and returns the number of its event, and the outlet
// that it goes to.
func (j *journal) keep(s *stream, message [][]byte, last bool) (number uint64, outlet transport.Outlet) {
	kept := bytes.Join(message, nil) // all sessions share the lock, so that it is not held for this
	j.shelf.lock.Lock()
	defer j.shelf.lock.Unlock()
	if s.ended {
		return 0, nil
	}
	j.last++
	s.ended = last
	e := event{s, j.last, kept}
	if last && e.cost() > maxEventBytes {
		e.message = tooLarge(e.message) // so that a client that comes back isn't told that it has all
	}
	if j.streams[s.number] == s && e.cost() <= maxEventBytes {
		for len(j.events) >= maxEvents || j.bytes+e.cost() > maxEventBytes {
			j.forget()
		}
		j.events = append(j.events, e)
		j.bytes += e.cost()
		s.kept++
		j.shelf.add(j, e.cost())
	}
	return j.last, s.outlet
}

// tooLarge returns an answer in the place of one that can't be kept.
func tooLarge(answer []byte) []byte {
	var m jsonrpc.Message
	_ = m.Scan(answer) // what was sent is a message
	return jsonrpc.AppendError(nil, m.ID, jsonrpc.InternalError,
		fmt.Sprintf("The answer is gone: it was larger than %d MiB, and not kept for a client that comes back; call again", maxEventBytes>>20), nil)
}

// since returns what is kept of a stream's events after one. The caller holds the lock.
func (j *journal) since(s *stream, after uint64) (events []event) {
	for i := len(j.events) - 1; i >= 0 && j.events[i].number > after; i-- {
		if j.events[i].stream == s {
			events = append(events, j.events[i])
		}
	}
	slices.Reverse(events)
	return events
}

// forget drops the oldest event. The caller holds the lock.
func (j *journal) forget() {
	oldest := j.events[0]
	j.events[0] = event{}
	if j.events = j.events[1:]; len(j.events) == 0 {
		j.events = nil
	}
	j.bytes -= oldest.cost()
	j.shelf.remove(j, oldest.cost())
	s := oldest.stream
	if s.kept--; s.ended && s.kept == 0 {
		j.remove(s)
	}
}

// now returns the number of the last event.
func (j *journal) now() uint64 {
	j.shelf.lock.Lock()
	defer j.shelf.lock.Unlock()
	return j.last
}

// find returns the stream of an event by the event's id, and its number; nil if no
// event of the session has that id.
func (j *journal) find(id string) (s *stream, number uint64) {
	j.shelf.lock.Lock()
	defer j.shelf.lock.Unlock()
	tag, rest, _ := strings.Cut(id, "-")
	of, event, _ := strings.Cut(rest, "-")
	stream, err := strconv.ParseUint(of, 10, 64)
	if err != nil {
		return nil, 0
	}
	if number, err = strconv.ParseUint(event, 10, 64); err != nil || tag != j.tag || number > j.last {
		return nil, 0
	}
	return j.streams[stream], number
}

// close ends the streams that no call sends on, and keeps nothing any more.
func (j *journal) close() {
	for _, outlet := range j.drop() {
		go outlet.HangUp(0) // which may take a moment
	}
}

func (j *journal) drop() (outlets []transport.Outlet) {
	j.shelf.lock.Lock()
	defer j.shelf.lock.Unlock()
	j.closed = true
	for _, s := range j.streams {
		if s.outlet != nil && s.outlet != s.call {
			outlets = append(outlets, s.outlet)
		}
		if s.replay != nil {
			outlets = append(outlets, s.replay)
		}
	}
	for len(j.events) > 0 {
		j.forget()
	}
	clear(j.streams)
	j.listening, j.missed = nil, nil
	return outlets
}

// endListening ends the streams that the client has opened to be told what it hasn't
// asked for.
func (j *journal) endListening() {
	j.shelf.lock.Lock()
	defer j.shelf.lock.Unlock()
	for _, s := range j.listening {
		outlet, replay := s.outlet, s.replay
		s.outlet, s.ctx = nil, nil
		for _, connection := range []transport.Outlet{outlet, replay} {
			if connection != nil {
				go connection.HangUp(0) // which may take a moment
			}
		}
	}
}

// maxMissed is how many changes a client may miss that are told when it comes back: one
// for each resource that it may subscribe to. Who has missed more has to look anyway.
const maxMissed = 1000

// teller returns a stream that can tell of a change. If there is none, the change
// waits for one.
func (j *journal) teller(change protocol.Change) *stream {
	j.shelf.lock.Lock()
	defer j.shelf.lock.Unlock()
	for _, s := range j.listening {
		if s.outlet != nil {
			return s
		}
	}
	if !j.closed && len(j.missed) < maxMissed && !slices.Contains(j.missed, change) {
		j.missed = append(j.missed, change)
	}
	return nil
}

// takeMissed returns the changes that wait for a stream to tell of them.
func (j *journal) takeMissed() []protocol.Change {
	j.shelf.lock.Lock()
	defer j.shelf.lock.Unlock()
	missed := j.missed
	j.missed = nil
	return missed
}
