package legacy

import (
	"sync"

	"github.com/bowline-mcp/bowline/internal/protocol"
)

// changes tells a session's client of changes, from the first stream on that it opens
// to be told of them.
type changes struct {
	lock     sync.Mutex
	follower *protocol.Follower // nil when nobody has asked yet
	ended    bool
}

// follow begins to tell.
func (s *session) follow(core *protocol.Core) {
	s.changes.lock.Lock()
	defer s.changes.lock.Unlock()
	if s.changes.ended || s.changes.follower != nil {
		return
	}
	tell := func(change protocol.Change) error {
		s.tell(core, change)
		return nil
	}
	s.changes.follower = core.Follow(s.peer.Interest, tell, func(err error) {
		core.Unreachable(err)
		s.changes.lock.Lock()
		defer s.changes.lock.Unlock()
		s.changes.follower = nil // the next stream begins anew
		s.journal.endListening()
	})
	s.changes.follower.Begin()
}

// catchUp tells of what has happened while no stream was open.
func (s *session) catchUp(core *protocol.Core) {
	for _, change := range s.journal.takeMissed() {
		s.tell(core, change)
	}
}

// tell tells of a change on one of the streams that are open for that, or lets it wait
// for one.
func (s *session) tell(core *protocol.Core, change protocol.Change) {
	for {
		teller := s.journal.teller(change)
		if teller == nil || teller.tell(core, change) {
			return
		}
	}
}

// stop tells nothing any more.
func (c *changes) stop() {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.ended = true
	if c.follower != nil {
		c.follower.Stop()
	}
}
