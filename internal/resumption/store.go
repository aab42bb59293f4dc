package resumption

import (
	"container/list"
	"slices"
	"sync"

	"github.com/bowline-mcp/bowline/internal/limits"
)

// An Event is a message of a stream. Its number is unique in the session.
type Event struct {
	Stream  uint64
	Number  uint64
	Message []byte
}

func (e Event) size() int { return len(e.Message) + limits.EventCost }

// A Store stores the events of sessions, up to its limits. [Memory] is one. If several
// processes shared a store, a client could resume its streams on another process.
type Store interface {
	// Append adds an event to those of a session. It may drop older events.
	Append(session string, e Event)

	// Events returns the stored events of a stream, oldest first.
	Events(session string, stream uint64) []Event

	// Delete drops the events of a stream.
	Delete(session string, stream uint64)

	// DeleteSession drops the events of all streams of a session.
	DeleteSession(session string)
}

// Memory is a Store in the memory of the process. It bounds the events of each session
// and of all sessions together. When it is full, it drops the events of the least
// recently active session. The zero value is empty.
type Memory struct {
	lock     sync.Mutex
	sessions map[string]*events
	recent   list.List // of *events, the least recently active session first
	bytes    int
}

// events are the stored events of one session, oldest first. There is at least one.
type events struct {
	session string
	list    []Event
	bytes   int
	element *list.Element // of recent
}

// Append adds an event to those of a session.
func (m *Memory) Append(session string, e Event) {
	m.lock.Lock()
	defer m.lock.Unlock()
	if m.sessions == nil {
		m.sessions = map[string]*events{}
	}
	kept := m.sessions[session]
	for kept != nil && (len(kept.list) >= limits.SessionEvents || kept.bytes+e.size() > limits.SessionEventBytes) {
		if m.drop(kept, 1); len(kept.list) == 0 {
			kept = nil
		}
	}
	if kept == nil {
		kept = &events{session: session}
		kept.element = m.recent.PushBack(kept)
		m.sessions[session] = kept
	}
	kept.list = append(kept.list, e)
	kept.bytes += e.size()
	m.bytes += e.size()
	m.recent.MoveToBack(kept.element)
	for m.bytes > limits.AllEventBytes {
		oldest := m.recent.Front().Value.(*events)
		m.drop(oldest, len(oldest.list))
	}
}

// drop drops the oldest events of a session. The caller holds the lock.
func (m *Memory) drop(kept *events, n int) {
	for _, e := range kept.list[:n] {
		kept.bytes -= e.size()
		m.bytes -= e.size()
	}
	clear(kept.list[:n])
	if kept.list = kept.list[n:]; len(kept.list) == 0 {
		delete(m.sessions, kept.session)
		m.recent.Remove(kept.element)
	}
}

// Events returns the stored events of a stream, oldest first.
func (m *Memory) Events(session string, stream uint64) (found []Event) {
	m.lock.Lock()
	defer m.lock.Unlock()
	if kept := m.sessions[session]; kept != nil {
		for _, e := range kept.list {
			if e.Stream == stream {
				found = append(found, e)
			}
		}
	}
	return found
}

// Delete drops the events of a stream.
func (m *Memory) Delete(session string, stream uint64) {
	m.lock.Lock()
	defer m.lock.Unlock()
	kept := m.sessions[session]
	if kept == nil {
		return
	}
	kept.list = slices.DeleteFunc(kept.list, func(e Event) bool {
		if e.Stream != stream {
			return false
		}
		kept.bytes -= e.size()
		m.bytes -= e.size()
		return true
	})
	m.drop(kept, 0) // removes the session if it has no events left
}

// DeleteSession drops the events of all streams of a session.
func (m *Memory) DeleteSession(session string) {
	m.lock.Lock()
	defer m.lock.Unlock()
	if kept := m.sessions[session]; kept != nil {
		m.drop(kept, len(kept.list))
	}
}
