package legacy

import (
	"crypto/rand"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/internal/protocol"
)

// sessions are the open sessions of a wing. Idle ones end by themselves.
type sessions struct {
	config Config
	shelf  shelf

	lock  sync.Mutex
	byID  map[string]*session
	sweep *time.Timer // runs while there are sessions
}

// open begins a session of a principal, and reports false when there are too many.
func (s *sessions) open(peer protocol.Peer, principal string) (*session, bool) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if len(s.byID) >= s.config.Limit {
		if s.expire(); len(s.byID) >= s.config.Limit {
			return nil, false
		}
	}
	made := &session{id: rand.Text(), principal: principal}
	peer.Session = made.id
	made.introduce(peer, s.config)
	made.journal.introduce(&s.shelf, peer.Version)
	made.touch()
	if s.byID == nil {
		s.byID = map[string]*session{}
	}
	s.byID[made.id] = made
	s.schedule()
	return made, true
}

// find returns a principal's session of an id, nil if there is none or it was idle for
// too long. An id is no proof of who sends it, so that to others there is none.
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

// drop forgets an idle session. The caller holds the lock.
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

// schedule makes sure that idle sessions are dropped though nobody asks for them.
// The caller holds the lock.
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
