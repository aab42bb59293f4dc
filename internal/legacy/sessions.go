package legacy

import (
	"crypto/rand"
	"maps"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/call"
	"github.com/bowline-mcp/bowline/internal/fault"
	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/resumption"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// sessions are the open sessions of a handler. It ends idle ones.
type sessions struct {
	config Config
	events resumption.Memory // of their streams

	lock  sync.Mutex
	byID  map[string]*session
	sweep *time.Timer // nil if there are no sessions
}

// open begins a session of a principal, and reports false when there are too many.
func (s *sessions) open(peer call.Peer, principal string) (*session, bool) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if len(s.byID) >= s.config.Limit {
		if s.expire(); len(s.byID) >= s.config.Limit {
			return nil, false
		}
	}
	made := &session{id: rand.Text(), principal: principal}
	made.streams = resumption.NewSession(&s.events, peer.Version >= spec.Version20251125)
	peer.Session = made.id
	made.initialize(peer, s.config)
	made.touch()
	if s.byID == nil {
		s.byID = map[string]*session{}
	}
	s.byID[made.id] = made
	s.schedule()
	return made, true
}

// find returns the session with an id, nil if there is none, if it was idle for too long,
// or if it belongs to another principal: an id doesn't authenticate its sender.
func (s *sessions) find(id, principal string) *session {
	s.lock.Lock()
	defer s.lock.Unlock()
	found := s.byID[id]
	if found == nil || found.principal != principal {
		return nil
	}
	if found.idle(s.config.TTL) {
		s.drop(found)
		return nil
	}
	found.touch()
	return found
}

// close ends a session, its calls and its streams.
func (s *sessions) close(closed *session) {
	s.lock.Lock()
	delete(s.byID, closed.id)
	if len(s.byID) == 0 && s.sweep != nil {
		s.sweep.Stop()
		s.sweep = nil
	}
	s.lock.Unlock()
	closed.end()
}

// expire drops idle sessions. The caller holds the lock.
func (s *sessions) expire() {
	for _, session := range s.byID {
		if session.idle(s.config.TTL) {
			s.drop(session)
		}
	}
}

// drop removes and ends an idle session. The caller holds the lock.
func (s *sessions) drop(idle *session) {
	delete(s.byID, idle.id)
	idle.end()
}

// all returns the open sessions.
func (s *sessions) all() []*session {
	s.lock.Lock()
	defer s.lock.Unlock()
	return slices.Collect(maps.Values(s.byID))
}

// schedule sets the timer that drops idle sessions. The caller holds the lock.
func (s *sessions) schedule() {
	if s.sweep != nil || len(s.byID) == 0 {
		return
	}
	s.sweep = time.AfterFunc(s.config.TTL, func() {
		s.lock.Lock()
		defer s.lock.Unlock()
		s.sweep = nil
		s.expire()
		s.schedule()
	})
}

// A session holds the state of a client between its requests.
type session struct {
	client
	id        string
	principal string // of the initialize request; no other may use the session
	calls     call.Table
	streams   *resumption.Session
	notices   notices
	running   atomic.Int32
	reserved  reservation
	begun     atomic.Bool  // whether any message or stream has followed initialize
	used      atomic.Int64 // time of the last use, in Unix nanoseconds
}

// enter counts a stream, or a message of n requests. The session isn't idle until leave.
// It returns the new count.
func (s *session) enter(n int32) int32 {
	s.begun.Store(true)
	return s.running.Add(n)
}

func (s *session) leave(n int32) {
	s.touch()
	s.running.Add(-n)
}

// end ends the session's calls and streams.
func (s *session) end() {
	s.calls.Close()
	s.notices.stop()
	s.peer.Interest.End()
	s.streams.Close()
}

// touch records the time of the last use.
func (s *session) touch() { s.used.Store(time.Now().UnixNano()) }

// idle reports whether the session was unused for the duration.
func (s *session) idle(ttl time.Duration) bool {
	if !s.begun.Load() {
		ttl = min(ttl, limits.SessionUnused)
	}
	return s.running.Load() == 0 && time.Since(time.Unix(0, s.used.Load())) >= ttl
}

// A budget bounds the bytes of the messages of running calls in sessions. Such calls don't
// end with their connections, so nothing else bounds their memory.
type budget struct {
	body int // maximum bytes of a message

	lock     sync.Mutex
	reserved int // bytes of all sessions, beyond limits.SessionReserve of each
}

// A reservation holds the bytes of the running calls of one session. The lock of the
// budget guards it.
type reservation struct{ bytes int }

// shared returns the bytes that count against the budget of all sessions.
func (r *reservation) shared() int { return max(r.bytes-limits.SessionReserve, 0) }

// reserve reserves the bytes of a message, or returns the error if a limit is reached.
func (b *budget) reserve(of *reservation, size int) *exchange.Error {
	b.lock.Lock()
	defer b.lock.Unlock()
	after := reservation{of.bytes + size}
	all := b.reserved + after.shared() - of.shared()
	switch {
	case after.bytes > limits.SessionBodies*b.body:
		return fault.TryAgain(limits.RetryBusy, http.StatusTooManyRequests,
			"The calls that run in the session have messages of %d bytes, and may have %d with this one; try again when some have ended", of.bytes, limits.SessionBodies*b.body)
	case all > limits.AllSessionBodies*b.body && all > b.reserved:
		return fault.TryAgain(limits.RetryBusy, http.StatusServiceUnavailable,
			"The server is busy: the calls that run have messages of %d bytes, and may have %d with this one; try again later", b.reserved, limits.AllSessionBodies*b.body)
	}
	*of, b.reserved = after, all
	return nil
}

// release releases the bytes of a message whose calls have ended.
func (b *budget) release(of *reservation, size int) {
	b.lock.Lock()
	defer b.lock.Unlock()
	b.reserved -= of.shared()
	of.bytes -= size
	b.reserved += of.shared()
}
