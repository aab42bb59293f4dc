package legacy

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/changes"
	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// recordState is what a session needs if other processes serve its client too.
type recordState struct {
	unlisten func() // ends listening to the topic of its record; nil if it isn't shared

	woken atomic.Uint64 // how often the record may have changed
	seen  atomic.Uint64 // woken before it was last read
	read  atomic.Int64  // when that was, in Unix nanoseconds, 0 before the first time

	turn chan struct{} // has a value while a goroutine reads or changes the record
	kept time.Time     // when the record was last kept
}

// alone calls do when no other goroutine reads or changes the record. If the goroutine has to
// wait, waiting and do take at most the time of one operation of the store, so that many
// requests don't wait for a store that hangs one after the other.
func (s *recordState) alone(ctx context.Context, do func(context.Context) error) error {
	select {
	case s.turn <- struct{}{}:
	default:
		limited, cancel := context.WithTimeout(ctx, limits.StoreTime)
		defer cancel()
		select {
		case s.turn <- struct{}{}:
			ctx = limited
		case <-limited.Done():
			return limited.Err()
		}
	}
	defer func() { <-s.turn }()
	return do(ctx)
}

// of returns the session of a request by its id. It revives a session that another process
// has begun. It returns an error if there is no such session, or if the session belongs to
// another principal or path: an id doesn't authenticate its sender.
func (s *sessions) of(r *http.Request, id string) (*session, *exchange.Error) {
	owner := s.placeOf(r)
	if found := s.find(id, owner); found != nil {
		if refusal := s.refresh(r.Context(), found); refusal != nil {
			return nil, refusal
		}
		return found, nil
	}
	made, peer, ok := s.opened(owner, id)
	if !ok {
		return nil, unknownSession()
	}
	// Of several requests, one revives the session. Otherwise, one could revive it after
	// another has ended it.
	found, err, _ := s.lookups.Do(s.purpose(owner)+id, func() (any, error) {
		if found := s.find(id, owner); found != nil {
			return found, nil
		}
		if refusal := s.revive(made, peer, r); refusal != nil {
			return nil, refusal
		}
		return made, nil
	})
	if refusal, ok := errors.AsType[*exchange.Error](err); ok {
		return nil, refusal
	}
	return found.(*session), nil
}

// revive opens a session that another process has begun, unless it has ended. The lists of the
// server may have changed since then.
func (s *sessions) revive(made *session, peer call.Peer, r *http.Request) *exchange.Error {
	settings, err := s.config.Records.Load(context.WithoutCancel(r.Context()), made.sealed)
	switch {
	case errors.Is(err, ErrEnded):
		return unknownSession()
	case err != nil:
		if s.shared == nil { // otherwise, the store has logged why, once
			s.core.Server().Logger.ErrorContext(r.Context(), "a session can't be revived, because nothing says whether it has ended", "error", err)
		}
		return unreachable()
	}
	for _, topic := range s.core.Topics(&peer.Client) {
		made.notices.missed = append(made.notices.missed, changes.Change{Topic: topic})
	}
	if refusal := s.open(made, peer, r); refusal != nil {
		return refusal
	}
	s.apply(made, settings)
	return nil
}

// initializeShared sets the fields of a session that other processes share.
func (s *sessions) initializeShared(made *session, peer call.Peer) {
	remote := newRemote(s.config.Shared, made.sealed.ID)
	peer.Elsewhere = remote.cancel
	peer.Interest.Keep(func(ctx context.Context, uri string, follows bool) *exchange.Error {
		return s.set(ctx, made, func(settings *Settings) { settings.subscribe(uri, follows) })
	})
	made.initialize(peer, s.config, remote)
	made.set = func(ctx context.Context, change func(*Settings)) *exchange.Error { return s.set(ctx, made, change) }
	made.record.turn = make(chan struct{}, 1)
	made.record.unlisten = remote.listen(func(id []byte) { made.calls.Cancel(id) }, func() { s.wake(made) })
}

// refresh reads the record of a session, unless that was done a moment ago and no process has
// changed it since. It returns why the session can't be used.
func (s *sessions) refresh(ctx context.Context, of *session) *exchange.Error {
	state := &of.record
	for range 2 { // the first may share what was read before the record changed
		if s.shared == nil || !state.stale() {
			return nil
		}
		_, err, _ := s.lookups.Do("refresh "+of.sealed.ID, func() (any, error) {
			return nil, state.alone(context.WithoutCancel(ctx), func(ctx context.Context) error { return s.read(ctx, of) })
		})
		if err != nil {
			return s.refusal(err, of)
		}
	}
	return nil
}

// reread reads the record of a session even if that was done a moment ago. It returns why the
// session can't be used.
func (s *sessions) reread(ctx context.Context, of *session) *exchange.Error {
	of.record.woken.Add(1)
	return s.refresh(ctx, of)
}

// stale reports whether the record may have changed since it was last read.
func (s *recordState) stale() bool {
	return s.woken.Load() != s.seen.Load() || time.Since(time.Unix(0, s.read.Load())) >= limits.SessionRefresh
}

// listens reads the record of a session soon if it has changed before the session began to run
// here: then nothing has woken it.
func (s *sessions) listens(of *session) {
	if s.shared != nil && of.record.stale() {
		s.wake(of)
	}
}

// read reads the record of a session, and keeps it from expiring. No other goroutine does so
// meanwhile.
func (s *sessions) read(ctx context.Context, of *session) error {
	state := &of.record
	now, woken := time.Now(), state.woken.Load()
	keep := woken != state.seen.Load() || now.Sub(state.kept) >= s.config.TTL/10
	settings, err := s.shared.Use(ctx, of.sealed, keep)
	if err != nil {
		return err
	}
	s.apply(of, settings)
	if keep {
		state.kept = now
	}
	state.read.Store(now.UnixNano())
	state.seen.Store(woken)
	return nil
}

// set changes what the client of a session has set, here and in other processes.
func (s *sessions) set(ctx context.Context, of *session, change func(*Settings)) *exchange.Error {
	err := of.record.alone(ctx, func(ctx context.Context) error {
		settings, err := s.shared.Change(ctx, of.sealed, change)
		if err == nil {
			s.apply(of, settings)
		}
		return err
	})
	if errors.Is(err, ErrEnded) {
		of.record.read.Store(0) // the next use ends it; now, it would end this call without an answer
		return unknownSession()
	}
	return s.refusal(err, of)
}

// apply sets in this process what the client of a session has set.
func (s *sessions) apply(to *session, settings Settings) {
	if s.shared == nil {
		return
	}
	level := spec.DefaultSeverity
	if settings.Level != "" {
		level = spec.ParseSeverity([]byte(settings.Level))
	}
	to.level.Store(uint32(level))
	to.notices.receive(to.peer.Interest.Replace(s.core.Contents(), settings.URIs, settings.Since))
}

// refusal returns why a session can't be used, after an error of its record. A session that has
// ended leaves this process.
func (s *sessions) refusal(err error, of *session) *exchange.Error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrEnded):
		s.leave(of)
		return unknownSession()
	}
	return unreachable() // the store has logged why
}

// wokenSessions are the sessions whose records may have changed while their clients wait for
// messages.
type wokenSessions struct {
	lock    sync.Mutex
	waiting map[*session]bool
	running bool
}

// wake reads the record of a session soon, at the latest when it is used next.
func (s *sessions) wake(woken *session) {
	woken.record.woken.Add(1)
	if woken.running.Load() == 0 {
		return
	}
	s.woken.lock.Lock()
	defer s.woken.lock.Unlock()
	if s.woken.waiting == nil {
		s.woken.waiting = map[*session]bool{}
	}
	s.woken.waiting[woken] = true
	if !s.woken.running {
		s.woken.running = true
		go s.refreshWoken()
	}
}

// refreshWoken reads the records of woken sessions, one after the other. If the store fails, the
// sessions are read when they are used.
func (s *sessions) refreshWoken() {
	for works := true; ; {
		s.woken.lock.Lock()
		waiting := s.woken.waiting
		s.woken.waiting, s.woken.running = nil, waiting != nil
		s.woken.lock.Unlock()
		if waiting == nil {
			return
		}
		for session := range waiting {
			if works {
				refusal := s.refresh(context.Background(), session)
				works = refusal == nil || refusal.Status == http.StatusNotFound
			}
		}
	}
}
