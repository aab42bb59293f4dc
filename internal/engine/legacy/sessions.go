package legacy

import (
	"container/list"
	"context"
	"crypto/rand"
	"maps"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/fault"
	"github.com/bowline-mcp/bowline/internal/engine/protocol"
	"github.com/bowline-mcp/bowline/internal/engine/resumption"
	"github.com/bowline-mcp/bowline/internal/engine/throttle"
	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// sessions are the open sessions of a handler. Idle ones are ended.
type sessions struct {
	core   *protocol.Core
	config Config
	shares *throttle.Shares
	events resumption.Memory // the events of their streams

	lock    sync.Mutex
	byID    map[string]*session
	clients map[throttle.Key]*list.List // has *session, least recently used first
	counts  throttle.Weights            // the sessions of each client
	sweep   *time.Timer                 // nil if there are no sessions
	expired time.Time                   // when expire last ran
}

// open begins a session for the client of a request, or returns why it can't.
func (s *sessions) open(ctx context.Context, peer call.Peer, r *http.Request) (*session, *exchange.Error) {
	client := s.shares.Client(r)
	s.lock.Lock()
	defer s.lock.Unlock()
	if len(s.byID) >= s.config.Limit && time.Since(s.expired) >= time.Second { // at most once a second, since it looks at all sessions
		s.expire()
	}
	if len(s.byID) >= s.config.Limit/2 && int64(s.counts.Of(client)) >= s.shares.Sessions.Client {
		return nil, s.shares.Sessions.Refuse(client)
	}
	if len(s.byID) >= s.config.Limit && !s.evict(client) {
		return nil, fault.TryAgain(limits.RetryFull, http.StatusServiceUnavailable, "The server has %d sessions open, the maximum; try again later", s.config.Limit)
	}
	made := &session{id: rand.Text(), principal: s.core.Server().Principal(ctx), owner: client, memory: &s.shares.Memory}
	made.held.Client = &client // instead of passing the request, because Take would then delay a refusal
	if refusal := made.memory.Take(&made.held, int64(len(peer.Info)+len(peer.Capabilities)+limits.SessionCost), nil); refusal != nil {
		return nil, refusal
	}
	made.streams = resumption.NewSession(&s.events, client, peer.Version >= spec.Version20251125)
	peer.Session = made.id
	peer.Interest = s.core.Interest(ctx, r, &peer.Client)
	made.initialize(peer, s.config)
	made.touch()
	s.add(made)
	s.schedule()
	return made, nil
}

// add adds a session. The caller holds the lock.
func (s *sessions) add(added *session) {
	if s.byID == nil {
		s.byID, s.clients = map[string]*session{}, map[throttle.Key]*list.List{}
	}
	s.byID[added.id] = added
	if s.clients[added.owner] == nil {
		s.clients[added.owner] = list.New()
	}
	added.element = s.clients[added.owner].PushBack(added)
	s.counts.Add(added.owner, 1)
}

// find returns the session with an id. It returns nil if there is none, if it was idle for
// too long, or if it belongs to another principal: an id doesn't authenticate its sender.
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
	s.clients[found.owner].MoveToBack(found.element)
	return found
}

// close ends a session, its calls and its streams.
func (s *sessions) close(closed *session) {
	s.lock.Lock()
	s.remove(closed)
	if len(s.byID) == 0 && s.sweep != nil {
		s.sweep.Stop()
		s.sweep = nil
	}
	s.lock.Unlock()
	closed.end()
}

// expire drops idle sessions. The caller holds the lock.
func (s *sessions) expire() {
	s.expired = time.Now()
	for _, session := range s.byID {
		if session.idle(s.config.TTL) {
			s.drop(session)
		}
	}
}

// evict makes room for a session of a client. It drops the least recently used session of
// the client with the most sessions. If that is the same client, or if no client has
// several, the dropped session must have been idle for a while. The caller holds the lock.
func (s *sessions) evict(of throttle.Key) bool {
	heaviest, count := s.counts.Heaviest()
	if count == 0 {
		return false
	}
	var least time.Duration
	if count == 1 || heaviest == of {
		least = limits.SessionUnused
	}
	for e := s.clients[heaviest].Front(); e != nil; e = e.Next() {
		if oldest := e.Value.(*session); oldest.idle(least) {
			s.drop(oldest)
			return true
		}
	}
	return false
}

// drop removes and ends an idle session. The caller holds the lock.
func (s *sessions) drop(idle *session) {
	s.remove(idle)
	idle.end()
}

// remove removes a session, once. The caller holds the lock.
func (s *sessions) remove(removed *session) {
	if s.byID[removed.id] != removed {
		return
	}
	delete(s.byID, removed.id)
	s.counts.Add(removed.owner, -1)
	if s.clients[removed.owner].Remove(removed.element); s.clients[removed.owner].Len() == 0 {
		delete(s.clients, removed.owner)
	}
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

// A session is the state of a client between its requests.
type session struct {
	client
	id        string
	principal string // who sent initialize; no other principal may use the session
	calls     call.Table
	streams   *resumption.Session
	notices   notices
	running   atomic.Int32
	memory    *throttle.Share
	held      throttle.Holding // what it holds of the client's share of memory
	owner     throttle.Key     // the client that has opened the session
	element   *list.Element    // in the list of the owner's sessions; guarded by the lock of sessions
	begun     atomic.Bool      // whether a message or stream has followed initialize
	used      atomic.Int64     // time of the last use, in Unix nanoseconds
}

// enter counts a message or a stream. The session isn't idle until leave is called.
func (s *session) enter() {
	s.begun.Store(true)
	s.running.Add(1)
}

func (s *session) leave() {
	s.touch()
	s.running.Add(-1)
}

// end ends the session's calls and streams.
func (s *session) end() {
	s.calls.Close()
	s.notices.stop()
	s.peer.Interest.End()
	s.streams.Close()
	s.memory.Return(&s.held)
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
