package legacy

import (
	"crypto/rand"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/internal/protocol"
)

// sessions are the open sessions of a wing. Idle ones end by themselves.
type sessions struct {
	config Config

	lock  sync.Mutex
	byID  map[string]*session
	sweep *time.Timer // runs while there are sessions
}

// open begins a session, and reports false when there are too many.
func (s *sessions) open(peer protocol.Peer) (*session, bool) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if len(s.byID) >= s.config.Limit {
		if s.expire(); len(s.byID) >= s.config.Limit {
			return nil, false
		}
	}
	made := &session{id: rand.Text()}
	peer.Session = made.id
	made.introduce(peer, s.config)
	made.touch()
	if s.byID == nil {
		s.byID = map[string]*session{}
	}
	s.byID[made.id] = made
	s.schedule()
	return made, true
}

// find returns the session of an id, nil if there is none or it was idle for too
// long.
func (s *sessions) find(id string) *session {
	s.lock.Lock()
	defer s.lock.Unlock()
	found := s.byID[id]
	if found == nil {
		return nil
	}
	if found.idle(s.config.TTL) {
		delete(s.byID, id)
		return nil
	}
	found.touch()
	return found
}

// close ends a session and its calls. It reports whether there was one.
func (s *sessions) close(id string) bool {
	s.lock.Lock()
	closed := s.byID[id]
	delete(s.byID, id)
	if len(s.byID) == 0 && s.sweep != nil {
		s.sweep.Stop()
		s.sweep = nil
	}
	s.lock.Unlock()
	if closed != nil {
		closed.calls.CancelAll()
	}
	return closed != nil
}

// expire drops idle sessions. The caller holds the lock.
func (s *sessions) expire() {
	for id, session := range s.byID {
		if session.idle(s.config.TTL) {
			delete(s.byID, id)
		}
	}
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
