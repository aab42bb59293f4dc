package legacy

import (
	"context"
	"slices"
	"sync"

	"github.com/bowline-mcp/bowline/internal/engine/changes"
	"github.com/bowline-mcp/bowline/internal/engine/protocol"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// notices notify a session's client of changes on the stream that the client opens to
// listen. Changes before that are sent when the stream opens.
type notices struct {
	lock     sync.Mutex
	follower *changes.Follower // nil before the first stream and the first subscription
	missed   []changes.Change  // changes while no stream was connected
	ended    bool
}

// follow starts the notifications. The session outlives the request that needs them, so it
// must not keep the request's context, which holds its headers and its token.
func (s *session) follow(core *protocol.Core) {
	s.notices.lock.Lock()
	defer s.notices.lock.Unlock()
	if s.notices.ended || s.notices.follower != nil {
		return
	}
	send := func(change changes.Change) error {
		s.notify(core, change)
		return nil
	}
	s.notices.follower = core.Feed().Follow(s.peer.Interest, send, func(err error) {
		lost(context.Background(), core, err)
		s.notices.lock.Lock()
		defer s.notices.lock.Unlock()
		s.notices.follower = nil // the next stream starts another
		s.streams.EndListening()
	})
	s.notices.follower.Begin()
}

// notify notifies the client of a change if the list or resource is visible to the request
// that opened the stream. While no stream is connected, it stores the change.
func (s *session) notify(core *protocol.Core, change changes.Change) {
	delivered := s.streams.Deliver(func(ctx context.Context) []byte {
		return core.AppendChange(ctx, nil, change, nil)
	})
	if delivered {
		return
	}
	s.notices.miss(change)
	if s.streams.Listens() { // a stream may have connected after Deliver, and called catchUp before miss
		s.catchUp(core)
	}
}

// catchUp sends the changes that the client missed.
func (s *session) catchUp(core *protocol.Core) {
	for _, change := range s.notices.takeMissed() {
		s.notify(core, change)
	}
}

// receive notifies the client of changes that this process hasn't notified it of.
func (n *notices) receive(late []changes.Change) {
	n.lock.Lock()
	defer n.lock.Unlock()
	for _, change := range late {
		if n.follower != nil {
			n.follower.Receive(change)
		} else {
			n.store(change)
		}
	}
}

// miss stores a change, once.
func (n *notices) miss(change changes.Change) {
	n.lock.Lock()
	defer n.lock.Unlock()
	n.store(change)
}

// store stores a change like miss. The caller holds the lock.
func (n *notices) store(change changes.Change) {
	if !n.ended && len(n.missed) < limits.MaxMissed && !slices.Contains(n.missed, change) {
		n.missed = append(n.missed, change)
	}
}

// takeMissed removes and returns the stored changes.
func (n *notices) takeMissed() []changes.Change {
	n.lock.Lock()
	defer n.lock.Unlock()
	missed := n.missed
	n.missed = nil
	return missed
}

// stop ends the notifications.
func (n *notices) stop() {
	n.lock.Lock()
	defer n.lock.Unlock()
	n.ended, n.missed = true, nil
	if n.follower != nil {
		n.follower.Stop()
	}
}

// lost logs why a client is no longer notified of changes.
func lost(ctx context.Context, core *protocol.Core, err error) {
	core.Server().Logger.WarnContext(ctx, "a client is no longer notified of changes", "error", err)
}
