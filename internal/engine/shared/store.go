// Package shared gives the engine the store that the processes of a program share. A [Store]
// limits the time of each operation, remembers that the store fails, and passes the messages
// of the bus on to those who listen to their topics. A program of one process has none.
package shared

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/framework/store"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// ErrOutage is the error of what isn't tried because the store failed a moment ago.
var ErrOutage = errors.New("the store failed a moment ago")

// A Store is the store of a program. It is safe for concurrent use.
type Store struct {
	ctx    context.Context // ends the subscription to the bus
	store  store.Store
	logger *slog.Logger

	lock       sync.Mutex
	failed     time.Time // when the store failed; zero if it works
	logged     time.Time // when an outage was last logged
	reported   bool      // whether the current outage was logged
	subscribed bool
	listeners  map[string]map[*listener]struct{} // by topic
}

// A listener gets the payloads of a topic.
type listener struct{ receive func(payload []byte) }

// New returns the store of a program until the context ends.
func New(ctx context.Context, s store.Store, logger *slog.Logger) *Store {
	return &Store{ctx: ctx, store: s, logger: logger, listeners: map[string]map[*listener]struct{}{}}
}

// Ended returns a channel that is closed when the program no longer uses the store.
func (s *Store) Ended() <-chan struct{} { return s.ctx.Done() }

// Key returns a short name for a text of any length, which may be secret.
func Key(text string) string {
	hash := sha256.Sum256([]byte(text))
	return base32.StdEncoding.EncodeToString(hash[:15])
}

// Do runs an operation of the store for at most limits.StoreTime, and returns its error. The
// first failure of an outage is logged, and so is its end, but no two outages within
// limits.StorePause: a store may read but not write, for example.
func (s *Store) Do(ctx context.Context, do func(context.Context, store.Store) error) error {
	limited, cancel := context.WithTimeout(ctx, limits.StoreTime)
	defer cancel()
	err := protect(func() error { return do(limited, s.store) })
	if err != nil && ctx.Err() != nil { // the caller's end says nothing about the store
		return err
	}
	s.note(ctx, err)
	return err
}

// protect returns the panic of a driver as an error. Some operations run in goroutines of their
// own, where a panic would end the program.
func protect(do func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("the store panics: %v\n%s", value, debug.Stack())
		}
	}()
	return do()
}

// DoUnlessOut is like Do, but returns ErrOutage at once for limits.StorePause after a failure.
// It is for what may be left out, so that many such operations don't wait for a store that
// hangs.
func (s *Store) DoUnlessOut(ctx context.Context, do func(context.Context, store.Store) error) error {
	s.lock.Lock()
	out := !s.failed.IsZero() && time.Since(s.failed) < limits.StorePause
	s.lock.Unlock()
	if out {
		return ErrOutage
	}
	return s.Do(ctx, do)
}

// note records whether the store works.
func (s *Store) note(ctx context.Context, err error) {
	fails := err != nil && !errors.Is(err, store.ErrNotFound) && !errors.Is(err, store.ErrConflict) && !errors.Is(err, store.ErrTooLarge)
	s.lock.Lock()
	begins, ends := false, false
	if fails {
		s.failed = time.Now()
		if begins = !s.reported && time.Since(s.logged) >= limits.StorePause; begins {
			s.logged, s.reported = s.failed, true
		}
	} else {
		s.failed, s.reported, ends = time.Time{}, false, s.reported
	}
	s.lock.Unlock()
	switch {
	case begins:
		s.logger.ErrorContext(ctx, "the store of Config.Store fails; until it works, older clients get 503 for their sessions, and can't resume streams", "error", err)
	case ends:
		s.logger.InfoContext(ctx, "the store of Config.Store works again")
	}
}

// Publish sends a message to the listeners of a topic in all processes.
func (s *Store) Publish(ctx context.Context, topic string, payload []byte) error {
	return s.DoUnlessOut(ctx, func(ctx context.Context, to store.Store) error { return to.Publish(ctx, topic, payload) })
}

// Listen has receive called for the messages of a topic until stop is called. The payload is
// nil if messages may have been lost. Receive must neither block nor keep the payload, and one
// call may still run when stop returns.
func (s *Store) Listen(topic string, receive func(payload []byte)) (stop func()) {
	added := &listener{receive}
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.listeners[topic] == nil {
		s.listeners[topic] = map[*listener]struct{}{}
	}
	s.listeners[topic][added] = struct{}{}
	if !s.subscribed {
		s.subscribed = true
		go s.subscribe() // it may block
	}
	return func() {
		s.lock.Lock()
		defer s.lock.Unlock()
		if delete(s.listeners[topic], added); len(s.listeners[topic]) == 0 {
			delete(s.listeners, topic)
		}
	}
}

// subscribe subscribes to the bus. It tries until it succeeds or the context ends. Messages
// before that are lost.
func (s *Store) subscribe() {
	for first := true; ; first = false {
		err := s.trySubscribe()
		if err == nil {
			break
		}
		if first && s.ctx.Err() == nil {
			s.logger.ErrorContext(s.ctx, "the store of Config.Store accepts no subscription; until it does, this process hears late of what the others do", "error", err)
		}
		select {
		case <-time.After(limits.StorePause):
		case <-s.ctx.Done():
			return
		}
	}
	s.receive(store.Message{Gap: true})
}

// trySubscribe subscribes to the bus, or fails within limits.StoreTime. The context of the
// subscription has no deadline, since the subscription would end with it.
func (s *Store) trySubscribe() error {
	ctx, cancel := context.WithCancel(s.ctx)
	limit := time.AfterFunc(limits.StoreTime, cancel)
	err := protect(func() error { return s.store.Subscribe(ctx, s.receive) })
	if !limit.Stop() && err == nil {
		err = context.DeadlineExceeded // just before the store has answered
	}
	if err != nil {
		cancel()
	}
	return err
}

// receive passes a message on.
func (s *Store) receive(m store.Message) {
	for _, l := range s.listening(m) {
		l.receive(m.Payload)
	}
}

// listening returns the listeners of a message, which are all if messages may have been lost.
func (s *Store) listening(m store.Message) (found []*listener) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if !m.Gap {
		for l := range s.listeners[m.Topic] {
			found = append(found, l)
		}
		return found
	}
	for _, topic := range s.listeners {
		for l := range topic {
			found = append(found, l)
		}
	}
	return found
}
