package resumption

import (
	"container/list"
	"context"
	"slices"
	"sync"

	"github.com/bowline-mcp/bowline/internal/engine/throttle"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// An Event is a message of a stream. Its number is unique in the session, and the numbers of a
// stream strictly increase.
type Event struct {
	Stream  uint64
	Number  uint64
	Message []byte // nil if the event only says that the stream has begun or ended
	Last    bool   // whether the stream has ended with it
	Listens bool   // whether the client opened the stream to listen

	length int // of a message that isn't kept here
}

func (e Event) size() int { return len(e.Message) + e.length + limits.EventCost }

// A Store stores the events of sessions, up to its limits. [Memory] is one of a process, and
// [Shared] one of several processes.
type Store interface {
	// Append adds an event to a client's session. It may drop older events. If it fails, the
	// event may be stored nevertheless.
	Append(ctx context.Context, client throttle.Key, session string, e Event) error

	// Events returns the stored events of a stream after the one with a number, oldest first.
	Events(ctx context.Context, session string, stream, after uint64) ([]Event, error)

	// Delete drops the events of a stream.
	Delete(ctx context.Context, session string, stream uint64) error

	// DeleteSession drops the events of all streams of a session that this process has stored.
	DeleteSession(ctx context.Context, session string) error

	// Shares reports whether other processes use the store.
	Shares() bool

	// Watch has something sent on wake, unless that would block, when a stream may have new
	// events of another process, until stop is called.
	Watch(session string, stream uint64, wake chan<- struct{}) (stop func())
}

// Memory is a Store in the memory of the process. It limits the events of each session and
// of all sessions together. When it is full, it drops the events of a session: the least
// recently active one of the client with the most bytes. The zero value is empty.
type Memory struct {
	lock     sync.Mutex
	sessions map[string]*events
	clients  map[throttle.Key]*list.List // of *events, least recently active session first
	weights  throttle.Weights            // the bytes of each client
	bytes    int
	dropped  func(session string, stream uint64) // nil, or called for each event that is dropped from a session, with the lock held
}

// events are the stored events of one session, oldest first. There is at least one.
type events struct {
	client  throttle.Key
	session string
	list    []Event
	bytes   int
	element *list.Element // in the list of the client's sessions
}

// Append adds an event to a client's session.
func (m *Memory) Append(_ context.Context, client throttle.Key, session string, e Event) error {
	m.lock.Lock()
	defer m.lock.Unlock()
	kept := m.sessions[session]
	for kept != nil && (len(kept.list) >= limits.SessionEvents || kept.bytes+e.size() > limits.SessionEventBytes) {
		if m.drop(kept, 1); len(kept.list) == 0 {
			kept = nil
		}
	}
	if kept == nil {
		kept = m.add(client, session)
	}
	kept.list = append(kept.list, e)
	m.weigh(kept, e.size())
	m.clients[client].MoveToBack(kept.element)
	for m.bytes > limits.AllEventBytes {
		heaviest, _ := m.weights.Heaviest()
		oldest := m.clients[heaviest].Front().Value.(*events)
		m.drop(oldest, len(oldest.list))
	}
	return nil
}

// add adds a session without events. The caller holds the lock, as for the methods below.
func (m *Memory) add(client throttle.Key, session string) *events {
	if m.sessions == nil {
		m.sessions, m.clients = map[string]*events{}, map[throttle.Key]*list.List{}
	}
	if m.clients[client] == nil {
		m.clients[client] = list.New()
	}
	added := &events{client: client, session: session}
	added.element = m.clients[client].PushBack(added)
	m.sessions[session] = added
	return added
}

// weigh adds the bytes of an event, negative if it was dropped.
func (m *Memory) weigh(of *events, bytes int) {
	of.bytes += bytes
	m.bytes += bytes
	m.weights.Add(of.client, bytes)
}

// drop drops the oldest events of a session, and a session without events.
func (m *Memory) drop(from *events, n int) {
	for _, e := range from.list[:n] {
		m.weigh(from, -e.size())
		if m.dropped != nil {
			m.dropped(from.session, e.Stream)
		}
	}
	clear(from.list[:n])
	if from.list = from.list[n:]; len(from.list) > 0 {
		return
	}
	delete(m.sessions, from.session)
	sessions := m.clients[from.client]
	if sessions.Remove(from.element); sessions.Len() == 0 {
		delete(m.clients, from.client)
	}
}

// Events returns the stored events of a stream after the one with a number, oldest first.
func (m *Memory) Events(_ context.Context, session string, stream, after uint64) (found []Event, err error) {
	m.lock.Lock()
	defer m.lock.Unlock()
	if kept := m.sessions[session]; kept != nil {
		for _, e := range kept.list {
			if e.Stream == stream && e.Number > after {
				found = append(found, e)
			}
		}
	}
	return found, nil
}

// Delete drops the events of a stream.
func (m *Memory) Delete(_ context.Context, session string, stream uint64) error {
	m.lock.Lock()
	defer m.lock.Unlock()
	kept := m.sessions[session]
	if kept == nil {
		return nil
	}
	kept.list = slices.DeleteFunc(kept.list, func(e Event) bool {
		if e.Stream != stream {
			return false
		}
		m.weigh(kept, -e.size())
		return true
	})
	m.drop(kept, 0) // removes the session if it has no events left
	return nil
}

// DeleteSession drops the events of all streams of a session.
func (m *Memory) DeleteSession(_ context.Context, session string) error {
	m.lock.Lock()
	defer m.lock.Unlock()
	if kept := m.sessions[session]; kept != nil {
		m.drop(kept, len(kept.list))
	}
	return nil
}

// Shares reports false: no other process uses the memory.
func (m *Memory) Shares() bool { return false }

// Watch never wakes.
func (m *Memory) Watch(string, uint64, chan<- struct{}) (stop func()) { return func() {} }
