package store

import (
	"context"
	"errors"
	"time"
)

// The errors that callers act upon. Drivers may wrap them.
var (
	// ErrNotFound says that a key has no value, or had one that has expired.
	ErrNotFound = errors.New("the store has no value for the key")

	// ErrConflict says that a value isn't at the revision that Put was to replace.
	ErrConflict = errors.New("the value was changed meanwhile")

	// ErrTooLarge says that a name or a value exceeds [MaxName], [MaxValue] or [MaxMessage].
	ErrTooLarge = errors.New("the name or the value is too large for a store")
)

// What every driver stores, in bytes. It refuses more with [ErrTooLarge].
const (
	MaxName    = 512     // of a key, a stream or a topic
	MaxValue   = 8 << 20 // of a value or an event
	MaxMessage = 4 << 10 // of the payload of a message
)

// A Store keeps the state that the processes of a program share. Whoever opens one closes it.
type Store interface {
	KV
	Log
	Bus
}

// A Revision identifies what was put under a key. It is more than 0, and is never used again
// for the key, not even after the value was deleted or has expired.
type Revision int64

// The conditions of [KV.Put] that are no revision of a value.
const (
	Absent Revision = 0  // only if the key has no value
	Any    Revision = -1 // in any case
)

// A KV keeps values by their keys.
type KV interface {
	// Get returns the value of a key and its revision, or ErrNotFound.
	Get(ctx context.Context, key string) (value []byte, at Revision, err error)

	// Put puts a value under a key for the time ttl, and returns its revision. It replaces only
	// a value at the given revision, and returns ErrConflict if there is another one or none.
	// Instead of a revision, it takes Absent and Any. Of several processes that replace the same
	// revision, exactly one succeeds.
	Put(ctx context.Context, key string, value []byte, ttl time.Duration, replaces Revision) (Revision, error)

	// Touch lets a value expire after the time ttl from now. Its revision stays the same. It
	// returns ErrNotFound if there is none.
	Touch(ctx context.Context, key string, ttl time.Duration) error

	// Delete deletes the value of a key. It reports whether there was one: true for exactly one
	// of several processes that delete it.
	Delete(ctx context.Context, key string) (deleted bool, err error)
}

// An Event is an entry of a stream.
type Event struct {
	ID   int64
	Data []byte
}

// A Log keeps streams of events. A stream begins with its first event.
type Log interface {
	// Append adds an event to the end of a stream, and returns its id. The ids of a stream are
	// more than 0 and strictly increase in the order in which readers see the events: once After
	// has returned an event, none with a smaller id is added. An id is never used again for the
	// stream, not even after Drop. The event is kept for the time ttl; a driver may keep it as
	// long as a later event of the stream.
	Append(ctx context.Context, stream string, data []byte, ttl time.Duration) (id int64, err error)

	// After returns the oldest events of a stream whose ids are greater than the given one, in
	// their order and at most limit. If there are none, it returns no error. It may return
	// fewer although there are more, but then at least one.
	After(ctx context.Context, stream string, id int64, limit int) ([]Event, error)

	// Drop deletes the events of a stream. A stream without events is no error.
	Drop(ctx context.Context, stream string) error
}

// A Message is what a [Bus] carries. The payload belongs to all subscribers: none changes it.
type Message struct {
	Topic   string
	Payload []byte

	// Gap says that messages may have been lost, for example since the connection was lost.
	// Topic and Payload are empty. The subscriber reads all that it waits for from the store.
	Gap bool
}

// A Bus carries messages to all processes, the publishing one included. It may lose, repeat and
// reorder them.
type Bus interface {
	// Publish sends a message to all subscribers. It never waits for one of them. Nil says that
	// the message was sent, not that anybody has received it.
	Publish(ctx context.Context, topic string, payload []byte) error

	// Subscribe has receive called for the messages of all topics, one at a time, until the
	// context ends. It returns when messages that are published from now on will be received.
	// Receive should return soon. While it doesn't, messages wait; if too many do, they are
	// lost, and a Gap follows.
	Subscribe(ctx context.Context, receive func(Message)) error
}
