package resumption

import (
	"context"
	"encoding/binary"
	"strconv"
	"sync"

	"github.com/bowline-mcp/bowline/framework/store"
	"github.com/bowline-mcp/bowline/internal/engine/shared"
	"github.com/bowline-mcp/bowline/internal/engine/throttle"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// Shared is a Store for several processes. It keeps the events in the streams of a store.Log,
// and wakes the followers of a stream by a store.Bus. While the store fails, only answers and
// reads are tried, so that a call with many events isn't slow.
//
// It has the limits of Memory, for the events that this process has stored. A Log drops only
// whole streams, so a session that is full loses its oldest stream.
type Shared struct {
	store *shared.Store
	quota Memory // the events without their messages

	lock    sync.Mutex
	dropped []string // the streams that the quota has dropped
}

// NewShared returns a Store that keeps events in the store of the program.
func NewShared(s *shared.Store) *Shared {
	made := &Shared{store: s}
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

// Append adds an event to a client's session, and wakes those who follow its stream.
func (s *Shared) Append(ctx context.Context, client throttle.Key, session string, e Event) error {
	weight := e
	weight.Message, weight.length = nil, len(e.Message)
	_ = s.quota.Append(ctx, client, session, weight) // a Memory doesn't fail
	s.dropStreams(ctx)
	name := streamName(session, e.Stream)
	appends := func(ctx context.Context, to store.Store) error {
		_, err := to.Append(ctx, name, encode(e), limits.EventTTL)
		return err
	}
	do := s.store.DoUnlessOut
	if e.Last {
		do = s.store.Do
	}
	err := do(ctx, appends)
	if err == nil {
		err = s.store.Publish(ctx, name, nil)
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
		_ = s.drop(ctx, name) // they would expire
	}
}

// Events returns the stored events of a stream after the one with a number.
func (s *Shared) Events(ctx context.Context, session string, stream, after uint64) (found []Event, err error) {
	name, id := streamName(session, stream), int64(0)
	for {
		var entries []store.Event
		err := s.store.Do(ctx, func(ctx context.Context, from store.Store) (err error) {
			entries, err = from.After(ctx, name, id, limits.SessionEvents)
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
	return s.drop(ctx, streamName(session, stream))
}

// drop drops the events of a stream by its name.
func (s *Shared) drop(ctx context.Context, name string) error {
	return s.store.DoUnlessOut(ctx, func(ctx context.Context, from store.Store) error { return from.Drop(ctx, name) })
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
	return s.store.Listen(streamName(session, stream), func([]byte) {
		select {
		case wake <- struct{}{}:
		default:
		}
	})
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
		flags = flagMessage
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
