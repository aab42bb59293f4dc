package resumption

import (
	"context"
	"encoding/binary"
	"errors"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/framework/store"
	"github.com/bowline-mcp/bowline/internal/engine/throttle"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// errOutage is the error of what isn't tried because the store failed a moment ago.
var errOutage = errors.New("the store of events failed a moment ago")

// Shared is a Store for several processes. It keeps the events in the streams of a store.Log,
// and wakes the followers of a stream by a store.Bus. Each operation ends after
// limits.StoreTime. After a failure, only answers and reads are tried for limits.StorePause, so
// that a call with many events isn't slow while the store fails; the failure is logged once until the
// store works again.
//
// It has the limits of Memory, for the events that this process has stored. A Log drops only
// whole streams, so a session that is full loses its oldest stream.
type Shared struct {
	ctx    context.Context // ends the subscription to the bus
	store  sharedStore
	logger *slog.Logger

	quota Memory // the events without their messages

	lock       sync.Mutex
	dropped    []string  // the streams that the quota has dropped
	failed     time.Time // when the store failed; zero if it works
	subscribed bool
	waiting    map[string]map[chan<- struct{}]bool // by the name of the stream
}

// A sharedStore is what Shared needs of a store.Store.
type sharedStore interface {
	store.Log
	store.Bus
}

// NewShared returns a Store that keeps events in s, until the context ends.
func NewShared(ctx context.Context, s sharedStore, logger *slog.Logger) *Shared {
	made := &Shared{ctx: ctx, store: s, logger: logger, waiting: map[string]map[chan<- struct{}]bool{}}
	made.quota.dropped = func(session string, stream uint64) {
		made.lock.Lock()
		defer made.lock.Unlock()
		made.dropped = append(made.dropped, streamName(session, stream))
	}
	return made
}

// streamName returns the name of a stream in the log, and of the topic that wakes its followers.
func streamName(session string, stream uint64) string {
	return "events/" + session + "/" + strconv.FormatUint(stream, 10)
}

// try runs an operation of the store for a limited time. One that isn't urgent fails at once
// during an outage.
func (s *Shared) try(ctx context.Context, urgent bool, do func(context.Context) error) error {
	s.lock.Lock()
	out := !s.failed.IsZero() && time.Since(s.failed) < limits.StorePause
	s.lock.Unlock()
	if out && !urgent {
		return errOutage
	}
	limited, cancel := context.WithTimeout(ctx, limits.StoreTime)
	defer cancel()
	err := do(limited)
	if ctx.Err() != nil { // the caller's end says nothing about the store
		return err
	}
	s.lock.Lock()
	begins := err != nil && s.failed.IsZero()
	ends := err == nil && !s.failed.IsZero()
	if s.failed = (time.Time{}); err != nil {
		s.failed = time.Now()
	}
	s.lock.Unlock()
	switch {
	case begins:
		s.logger.ErrorContext(ctx, "the store of events fails; streams continue, but clients that lose their connection can't resume them until the store works", "error", err)
	case ends:
		s.logger.InfoContext(ctx, "the store of events works again")
	}
	return err
}

// Append adds an event to a client's session, and wakes those who follow its stream.
func (s *Shared) Append(ctx context.Context, client throttle.Key, session string, e Event) error {
	weight := e
	weight.Message, weight.length = nil, len(e.Message)
	_ = s.quota.Append(ctx, client, session, weight) // a Memory doesn't fail
	s.dropStreams(ctx)
	name := streamName(session, e.Stream)
	err := s.try(ctx, e.Last, func(ctx context.Context) error {
		_, err := s.store.Append(ctx, name, encode(e), limits.EventTTL)
		return err
	})
	if err == nil {
		err = s.try(ctx, false, func(ctx context.Context) error { return s.store.Publish(ctx, name, nil) })
	}
	return err
}

// dropStreams drops the streams that the quota has dropped events of.
func (s *Shared) dropStreams(ctx context.Context) {
	s.lock.Lock()
	names := s.dropped
	s.dropped = nil
	s.lock.Unlock()
	before := ""
	for _, name := range names {
		if name == before {
			continue
		}
		before = name
		_ = s.try(ctx, false, func(ctx context.Context) error { return s.store.Drop(ctx, name) }) // they would expire
	}
}

// Events returns the stored events of a stream after the one with a number.
func (s *Shared) Events(ctx context.Context, session string, stream, after uint64) (found []Event, err error) {
	name, id := streamName(session, stream), int64(0)
	for {
		var entries []store.Event
		err := s.try(ctx, true, func(ctx context.Context) (err error) {
			entries, err = s.store.After(ctx, name, id, limits.SessionEvents)
			return err
		})
		if err != nil {
			return nil, err
		}
		if len(entries) == 0 {
			return found, nil
		}
		for _, entry := range entries {
			id = entry.ID
			e, ok := decode(stream, entry.Data)
			if ok && e.Number > after {
				found, after = append(found, e), e.Number
			}
		}
	}
}

// Delete drops the events of a stream.
func (s *Shared) Delete(ctx context.Context, session string, stream uint64) error {
	_ = s.quota.Delete(ctx, session, stream) // a Memory doesn't fail
	return s.try(ctx, false, func(ctx context.Context) error { return s.store.Drop(ctx, streamName(session, stream)) })
}

// DeleteSession drops the events of the session's streams that this process has stored. It
// doesn't wait for the store, since the caller holds the lock of all sessions.
func (s *Shared) DeleteSession(ctx context.Context, session string) error {
	_ = s.quota.DeleteSession(ctx, session) // a Memory doesn't fail
	go s.dropStreams(context.WithoutCancel(ctx))
	return nil
}

// Shares reports true.
func (s *Shared) Shares() bool { return true }

// Watch sends on wake when a stream may have new events.
func (s *Shared) Watch(session string, stream uint64, wake chan<- struct{}) (stop func()) {
	name := streamName(session, stream)
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.waiting[name] == nil {
		s.waiting[name] = map[chan<- struct{}]bool{}
	}
	s.waiting[name][wake] = true
	if !s.subscribed {
		s.subscribed = true
		go s.subscribe() // it may block
	}
	return func() {
		s.lock.Lock()
		defer s.lock.Unlock()
		if delete(s.waiting[name], wake); len(s.waiting[name]) == 0 {
			delete(s.waiting, name)
		}
	}
}

// subscribe subscribes to the bus. If that fails, the next Watch tries again.
func (s *Shared) subscribe() {
	if err := s.store.Subscribe(s.ctx, s.wake); err != nil {
		s.lock.Lock()
		defer s.lock.Unlock()
		s.subscribed = false
	}
}

// wake wakes those who follow a stream, or everybody if messages may have been lost.
func (s *Shared) wake(m store.Message) {
	s.lock.Lock()
	defer s.lock.Unlock()
	for name, waiting := range s.waiting {
		if name != m.Topic && !m.Gap {
			continue
		}
		for wake := range waiting {
			select {
			case wake <- struct{}{}:
			default:
			}
		}
	}
}

// The flags of an encoded event.
const (
	flagMessage = 1 << iota
	flagLast
	flagListens
)

// encode returns an event as it is in the log: its flags, its number in 8 bytes, its message.
func encode(e Event) []byte {
	var flags byte
	if e.Message != nil {
		flags |= flagMessage
	}
	if e.Last {
		flags |= flagLast
	}
	if e.Listens {
		flags |= flagListens
	}
	data := append(make([]byte, 0, 9+len(e.Message)), flags)
	return append(binary.BigEndian.AppendUint64(data, e.Number), e.Message...)
}

// decode reads an event of the log. It reports false for what no version of encode has
// written.
func decode(stream uint64, data []byte) (e Event, ok bool) {
	if len(data) < 9 {
		return Event{}, false
	}
	flags := data[0]
	e = Event{Stream: stream, Number: binary.BigEndian.Uint64(data[1:]), Last: flags&flagLast != 0, Listens: flags&flagListens != 0}
	if flags&flagMessage != 0 {
		e.Message = data[9:]
	}
	return e, e.Number < maxNumber
}
