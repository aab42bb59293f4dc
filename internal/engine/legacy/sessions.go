package legacy

import (
	"container/list"
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/fault"
	"github.com/bowline-mcp/bowline/internal/engine/protocol"
	"github.com/bowline-mcp/bowline/internal/engine/resumption"
	"github.com/bowline-mcp/bowline/internal/engine/throttle"
	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// sessions are the open sessions of a handler. Idle ones are ended. A session that another
// process has begun is revived from its id.
type sessions struct {
	core    *protocol.Core
	config  Config
	shared  *SharedRecords // nil if no other process serves the clients
	shares  *throttle.Shares
	process string // tells the ids of this handler from those of others
	lookups singleflight.Group
	woken   wokenSessions

	lock    sync.Mutex
	byID    map[string]*session
	clients map[throttle.Key]*list.List // has *session, least recently used first
	counts  throttle.Weights            // the sessions of each client
	sweep   *time.Timer                 // nil if there are no sessions
	expired time.Time                   // when expire last ran
}

// begin begins a session for the client of an initialize request, or returns why it can't.
func (s *sessions) begin(peer call.Peer, r *http.Request) (*session, *exchange.Error) {
	made := s.newSession(s.placeOf(r), peer)
	if refusal := s.open(made, peer, r); refusal != nil {
		return nil, refusal
	}
	if s.shared != nil && s.shared.Begin(r.Context(), made.sealed) != nil { // the store has logged why
		s.leave(made)
		return nil, unreachable()
	}
	return made, nil
}

// unreachable returns the error for a request that needs the records of sessions while these can't
// be reached.
func unreachable() *exchange.Error {
	return fault.TryAgain(limits.RetryStore, http.StatusServiceUnavailable, "The server can't reach the store of its sessions; try again later")
}

// unknownSession returns the error for an id without a session. It is the same for all such
// ids, so that it reveals nothing about them.
func unknownSession() *exchange.Error {
	return fault.WithStatus(http.StatusNotFound, "The session is not known, or has ended; begin with initialize")
}

// open opens a session for the client of a request, or returns why it can't.
func (s *sessions) open(made *session, peer call.Peer, r *http.Request) *exchange.Error {
	client := s.shares.Client(r)
	s.lock.Lock()
	defer s.lock.Unlock()
	if len(s.byID) >= s.config.Limit && time.Since(s.expired) >= time.Second { // at most once a second, since it looks at all sessions
		s.expire()
	}
	if len(s.byID) >= s.config.Limit/2 && int64(s.counts.Of(client)) >= s.shares.Sessions.Client {
		return s.shares.Sessions.Refuse(client)
	}
	if len(s.byID) >= s.config.Limit && !s.evict(client) {
		return fault.TryAgain(limits.RetryFull, http.StatusServiceUnavailable, "The server has %d sessions open, the maximum; try again later", s.config.Limit)
	}
	// The session outlives the request, so it must not keep the text of its headers.
	made.sealed.ID, made.path, made.owner, made.memory = strings.Clone(made.sealed.ID), strings.Clone(made.path), client, &s.shares.Memory
	made.held.Client = &client // instead of passing the request, because Take would then delay a refusal
	if refusal := made.memory.Take(&made.held, int64(len(made.sealed.ID)+len(made.path)+len(peer.Info)+len(peer.Capabilities)+limits.SessionCost), nil); refusal != nil {
		return refusal
	}
	made.streams = resumption.NewSession(s.config.Events, made.sealed.ID, client, peer.Version >= spec.Version20251125)
	peer.Session = made.sealed.ID
	peer.Interest = s.core.Interest(r.Context(), r, &peer.Client)
	if s.shared == nil {
		made.initialize(peer, s.config, nil)
	} else {
		s.initializeShared(made, peer)
	}
	made.touch()
	s.add(made)
	s.schedule()
	return nil
}

// add adds a session. The caller holds the lock.
func (s *sessions) add(added *session) {
	if s.byID == nil {
		s.byID, s.clients = map[string]*session{}, map[throttle.Key]*list.List{}
	}
	s.byID[added.sealed.ID] = added
	if s.clients[added.owner] == nil {
		s.clients[added.owner] = list.New()
	}
	added.element = s.clients[added.owner].PushBack(added)
	s.counts.Add(added.owner, 1)
}

// find returns the open session with an id. It returns nil if there is none, if it was idle
// for too long, or if it belongs to another principal or path.
func (s *sessions) find(id string, owner place) *session {
	s.lock.Lock()
	defer s.lock.Unlock()
	found := s.byID[id]
	if found == nil || found.place != owner {
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

// close ends a session, its calls and its streams. On an error, the session continues.
func (s *sessions) close(ctx context.Context, closed *session) error {
	if err := s.config.Records.End(ctx, closed.sealed); err != nil {
		return err
	}
	s.leave(closed)
	return nil
}

// leave removes a session from this process, and ends its calls and its streams.
func (s *sessions) leave(left *session) {
	s.lock.Lock()
	removed := s.remove(left)
	if len(s.byID) == 0 && s.sweep != nil {
		s.sweep.Stop()
		s.sweep = nil
	}
	s.lock.Unlock()
	if removed {
		left.end()
	}
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
			if s.shared != nil { // so that a flood of sessions doesn't fill the store
				go s.shared.Release(context.Background(), oldest.sealed)
			}
			return true
		}
	}
	return false
}

// drop removes and ends an idle session. Other processes that share it may still use it. The
// caller holds the lock.
func (s *sessions) drop(idle *session) {
	if s.shared == nil {
		if err := s.config.Records.End(context.Background(), idle.sealed); err != nil {
			s.core.Server().Logger.Warn("a session has ended, but may be revived, because its end wasn't recorded", "error", err)
		}
	}
	if s.remove(idle) {
		idle.end()
	}
}

// remove removes a session, and reports whether it was there: of several requests that find that
// a session has ended, one ends it. The caller holds the lock.
func (s *sessions) remove(removed *session) bool {
	if s.byID[removed.sealed.ID] != removed {
		return false
	}
	delete(s.byID, removed.sealed.ID)
	s.counts.Add(removed.owner, -1)
	if s.clients[removed.owner].Remove(removed.element); s.clients[removed.owner].Len() == 0 {
		delete(s.clients, removed.owner)
	}
	return true
}

// all returns the open sessions.
func (s *sessions) all() []*session {
	s.lock.Lock()
	defer s.lock.Unlock()
	return slices.Collect(maps.Values(s.byID))
}

// schedule sets the timer that drops idle sessions, and keeps the records of the others. The
// caller holds the lock.
func (s *sessions) schedule() {
	if s.sweep != nil || len(s.byID) == 0 {
		return
	}
	interval := s.config.TTL
	if s.shared != nil {
		interval /= 10
	}
	s.sweep = time.AfterFunc(interval, func() {
		s.lock.Lock()
		defer s.lock.Unlock()
		s.sweep = nil
		s.expire()
		s.schedule()
		if s.shared == nil {
			return
		}
		for _, session := range s.byID {
			if session.running.Load() > 0 {
				s.wake(session)
			}
		}
	})
}

// A session is the state of a client between its requests.
type session struct {
	client
	place
	sealed  Sealed
	record  recordState
	calls   call.Table
	streams *resumption.Session
	notices notices
	running atomic.Int32
	memory  *throttle.Share
	held    throttle.Holding // what it holds of the client's share of memory
	owner   throttle.Key     // the client that has opened the session
	element *list.Element    // in the list of the owner's sessions; guarded by the lock of sessions
	begun   atomic.Bool      // whether a message or stream has followed initialize
	used    atomic.Int64     // time of the last use, in Unix nanoseconds
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
	if s.record.unlisten != nil {
		s.record.unlisten()
	}
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
