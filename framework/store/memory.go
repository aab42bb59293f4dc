package store

import (
	"bytes"
	"container/heap"
	"context"
	"fmt"
	"sort"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/internal/limits"
)

// Memory is a Store in the memory of the process. Several Apps of the process may share it. It
// is lost with the process. If it is full, what adds to it returns an error. It runs no
// goroutine while no message waits for a subscriber.
type Memory struct {
	bus

	lock    sync.Mutex
	items   map[name]*item
	expires expiries // of the items
	bytes   int
	last    int64 // revision of a value or id of an event
}

// A name is that of a key or a stream.
type name struct {
	text   string
	stream bool
}

// An item is a value, or the events of a stream.
type item struct {
	name
	value    []byte
	revision Revision
	events   []memoryEvent // oldest first
	bytes    int
	expires  time.Time
	index    int // in expiries
}

// A memoryEvent is an event of a stream.
type memoryEvent struct {
	Event
	expires time.Time
}

// NewMemory returns an empty store.
func NewMemory() *Memory { return &Memory{items: map[name]*item{}} }

// Get returns the value of a key and its revision, or ErrNotFound.
func (m *Memory) Get(ctx context.Context, key string) (value []byte, at Revision, err error) {
	if err := check(ctx, key, 0); err != nil {
		return nil, 0, err
	}
	m.lock.Lock()
	defer m.lock.Unlock()
	m.expire()
	found := m.items[name{text: key}]
	if found == nil {
		return nil, 0, ErrNotFound
	}
	return bytes.Clone(found.value), found.revision, nil
}

// Put puts a value under a key. See [KV].
func (m *Memory) Put(ctx context.Context, key string, value []byte, ttl time.Duration, replaces Revision) (Revision, error) {
	if err := checkWrite(ctx, key, len(value), ttl); err != nil {
		return 0, err
	}
	m.lock.Lock()
	defer m.lock.Unlock()
	until := m.expire().Add(ttl)
	put := m.items[name{text: key}]
	at, more := Absent, cost(key, value)
	if put != nil {
		at, more = put.revision, more-put.bytes
	}
	if replaces != Any && replaces != at {
		return 0, ErrConflict
	}
	if err := m.fits(more); err != nil {
		return 0, err
	}
	if put == nil {
		put = m.add(name{text: key}, until)
	}
	m.last++
	put.value, put.revision = bytes.Clone(value), Revision(m.last)
	m.weigh(put, more)
	m.keep(put, until)
	return put.revision, nil
}

// Touch lets a value expire after the time ttl from now.
func (m *Memory) Touch(ctx context.Context, key string, ttl time.Duration) error {
	if err := checkWrite(ctx, key, 0, ttl); err != nil {
		return err
	}
	m.lock.Lock()
	defer m.lock.Unlock()
	until := m.expire().Add(ttl)
	touched := m.items[name{text: key}]
	if touched == nil {
		return ErrNotFound
	}
	m.keep(touched, until)
	return nil
}

// Delete deletes the value of a key, and reports whether there was one.
func (m *Memory) Delete(ctx context.Context, key string) (deleted bool, err error) {
	return m.drop(ctx, name{text: key})
}

// Append adds an event to a stream. See [Log].
func (m *Memory) Append(ctx context.Context, stream string, data []byte, ttl time.Duration) (id int64, err error) {
	if err := checkWrite(ctx, stream, len(data), ttl); err != nil {
		return 0, err
	}
	m.lock.Lock()
	defer m.lock.Unlock()
	now := m.expire()
	to := m.items[name{stream, true}]
	for to != nil && !now.Before(to.events[0].expires) { // one of its events lasts as long as the stream
		m.weigh(to, -cost(stream, to.events[0].Data))
		to.events[0] = memoryEvent{}
		to.events = to.events[1:]
	}
	if err := m.fits(cost(stream, data)); err != nil {
		return 0, err
	}
	until := now.Add(ttl)
	if to == nil {
		to = m.add(name{stream, true}, until)
	}
	m.last++
	to.events = append(to.events, memoryEvent{Event{m.last, bytes.Clone(data)}, until})
	m.weigh(to, cost(stream, data))
	if until.After(to.expires) {
		m.keep(to, until)
	}
	return m.last, nil
}

// After returns the events of a stream after the one with an id. See [Log].
func (m *Memory) After(ctx context.Context, stream string, id int64, limit int) ([]Event, error) {
	if err := check(ctx, stream, 0); err != nil {
		return nil, err
	}
	m.lock.Lock()
	defer m.lock.Unlock()
	m.expire()
	from := m.items[name{stream, true}]
	if from == nil {
		return nil, nil
	}
	first := sort.Search(len(from.events), func(i int) bool { return from.events[i].ID > id })
	later := from.events[first:]
	later = later[:max(min(len(later), limit), 0)]
	found := make([]Event, len(later))
	for i, e := range later {
		found[i] = Event{e.ID, bytes.Clone(e.Data)}
	}
	return found, nil
}

// Drop deletes the events of a stream.
func (m *Memory) Drop(ctx context.Context, stream string) error {
	_, err := m.drop(ctx, name{stream, true})
	return err
}

// drop deletes an item, and reports whether there was one.
func (m *Memory) drop(ctx context.Context, named name) (dropped bool, err error) {
	if err := check(ctx, named.text, 0); err != nil {
		return false, err
	}
	m.lock.Lock()
	defer m.lock.Unlock()
	m.expire()
	gone := m.items[named]
	if gone == nil {
		return false, nil
	}
	heap.Remove(&m.expires, gone.index)
	m.forget(gone)
	return true, nil
}

// add adds an item without bytes. The caller holds the lock, as for the methods below.
func (m *Memory) add(named name, until time.Time) *item {
	added := &item{name: named, expires: until}
	m.items[named] = added
	heap.Push(&m.expires, added)
	return added
}

// keep sets when an item expires.
func (m *Memory) keep(kept *item, until time.Time) {
	kept.expires = until
	heap.Fix(&m.expires, kept.index)
}

// expire deletes the items that have expired, and returns the time.
func (m *Memory) expire() (now time.Time) {
	now = time.Now()
	for len(m.expires) > 0 && !now.Before(m.expires[0].expires) {
		m.forget(heap.Pop(&m.expires).(*item))
	}
	return now
}

// forget deletes an item that isn't in expiries.
func (m *Memory) forget(gone *item) {
	delete(m.items, gone.name)
	m.bytes -= gone.bytes
}

func (m *Memory) weigh(of *item, bytes int) {
	of.bytes += bytes
	m.bytes += bytes
}

// fits returns an error if there is no room for the bytes.
func (m *Memory) fits(bytes int) error {
	if m.bytes+bytes > limits.StoreBytes {
		return fmt.Errorf("the store in memory is full: it has %d MiB; use a store on disk, or keep less", limits.StoreBytes>>20)
	}
	return nil
}

// cost returns how many bytes a value or an event counts.
func cost(named string, value []byte) int { return len(named) + len(value) + limits.StoreCost }

// check returns why an operation can't be done.
func check(ctx context.Context, named string, size int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if len(named) > MaxName || size > MaxValue {
		return ErrTooLarge
	}
	return nil
}

// checkWrite returns why something can't be written.
func checkWrite(ctx context.Context, named string, size int, ttl time.Duration) error {
	if ttl <= 0 {
		return fmt.Errorf("the ttl %s is not more than 0: everything in a store expires", ttl)
	}
	return check(ctx, named, size)
}

// expiries is a heap of items, the next one to expire first.
type expiries []*item

func (e expiries) Len() int           { return len(e) }
func (e expiries) Less(i, j int) bool { return e[i].expires.Before(e[j].expires) }
func (e expiries) Swap(i, j int) {
	e[i], e[j] = e[j], e[i]
	e[i].index, e[j].index = i, j
}

func (e *expiries) Push(added any) {
	i := added.(*item)
	i.index = len(*e)
	*e = append(*e, i)
}

func (e *expiries) Pop() any {
	last := len(*e) - 1
	popped := (*e)[last]
	(*e)[last] = nil
	*e = (*e)[:last]
	return popped
}
