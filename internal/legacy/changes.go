package legacy

import (
	"context"
	"slices"
	"sync"

	"github.com/bowline-mcp/bowline/internal/changes"
	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/protocol"
)

// notices tell a session's client of changes, from the first stream on that it opens to
// listen.
type notices struct {
	lock     sync.Mutex
	follower *changes.Follower // nil before the first stream
	missed   []changes.Change  // that happened while no stream was connected
	ended    bool
}

// follow begins to tell, unless that has begun already. The context is that of the request
// that opens a stream.
func (s *session) follow(ctx context.Context, core *protocol.Core) {
	s.notices.lock.Lock()
	defer s.notices.lock.Unlock()
	if s.notices.ended || s.notices.follower != nil {
		return
	}
	ctx = context.WithoutCancel(ctx) // the session outlives the stream
	tell := func(change changes.Change) error {
		s.tell(core, change)
		return nil
	}
	s.notices.follower = core.Feed().Follow(s.peer.Interest, tell, func(err error) {
		unreachable(ctx, core, err)
		s.notices.lock.Lock()
		defer s.notices.lock.Unlock()
		s.notices.follower = nil // the next stream begins anew
		s.streams.EndListening()
	})
	s.notices.follower.Begin()
}

// tell tells the client of a change, if the request that opened the stream may see what
// has changed. While no stream is connected, the change waits for one.
func (s *session) tell(core *protocol.Core, change changes.Change) {
	told := s.streams.Deliver(func(ctx context.Context) []byte {
		if !core.Shows(ctx, change) {
			return nil
		}
		return change.AppendNotification(nil, nil)
	})
	if told {
		return
	}
	s.notices.miss(change)
	if s.streams.Listens() { // since a moment ago, so that it may have caught up too early
		s.catchUp(core)
	}
}

// catchUp tells of what has happened while no stream was connected.
func (s *session) catchUp(core *protocol.Core) {
	for _, change := range s.notices.takeMissed() {
		s.tell(core, change)
	}
}

// miss notes a change, once.
func (n *notices) miss(change changes.Change) {
	n.lock.Lock()
	defer n.lock.Unlock()
	if !n.ended && len(n.missed) < limits.MaxMissed && !slices.Contains(n.missed, change) {
		n.missed = append(n.missed, change)
	}
}

// takeMissed returns the changes that were noted, and forgets them.
func (n *notices) takeMissed() []changes.Change {
	n.lock.Lock()
	defer n.lock.Unlock()
	missed := n.missed
	n.missed = nil
	return missed
}

// stop tells nothing any more.
func (n *notices) stop() {
	n.lock.Lock()
	defer n.lock.Unlock()
	n.ended, n.missed = true, nil
	if n.follower != nil {
		n.follower.Stop()
	}
}

// unreachable logs that a client is told of no more changes.
func unreachable(ctx context.Context, core *protocol.Core, err error) {
	core.Logger().WarnContext(ctx, "a client is told of no more changes", "error", err)
}
