package storetest_test

import (
	"context"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/framework/store"
)

// latency is how long a request takes to the backend.
const latency = time.Millisecond

// A backend is a database that can be stopped, and a driver for it: a store that waits while the
// database is stopped. Tests replace its functions by others that break a promise.
type backend struct {
	// wait is called for an operation that can't reach the database. It returns when that runs
	// again, or with an error. Begun says that it ran when the operation began.
	wait func(ctx context.Context, begun bool) error

	// stopped is called when the database stops.
	stopped func()

	// reconnect is called for each subscriber after the database has started again.
	reconnect func(subscribe, gap func())

	stays bool // whether it is of no use to start the database again

	lock    sync.Mutex
	data    *store.Memory
	names   map[string]bool // of the keys that were put
	on, off chan struct{}   // one is closed: on while the database runs, off while it is stopped
}

func newBackend() *backend {
	b := &backend{data: store.NewMemory(), names: map[string]bool{}, on: make(chan struct{}), stopped: func() {}}
	b.wait = func(ctx context.Context, _ bool) error {
		on, _ := b.power()
		await(ctx, on)
		return ctx.Err()
	}
	b.reconnect = func(subscribe, gap func()) {
		subscribe()
		gap()
	}
	b.start()
	return b
}

func (b *backend) start() {
	b.lock.Lock()
	defer b.lock.Unlock()
	if !b.stays && !closed(b.on) {
		close(b.on)
		b.off = make(chan struct{})
	}
}

func (b *backend) stop() {
	b.lock.Lock()
	defer b.lock.Unlock()
	close(b.off)
	b.on = make(chan struct{})
	b.stopped()
}

func (b *backend) power() (on, off chan struct{}) {
	b.lock.Lock()
	defer b.lock.Unlock()
	return b.on, b.off
}

func closed(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// reach returns the data when an operation reaches the database. If it doesn't, the context that it
// returns has ended with the error of the operation.
func (b *backend) reach(ctx context.Context) (context.Context, *store.Memory) {
	on, _ := b.power()
	begun := closed(on)
	await(ctx, time.After(latency))
	if on, _ := b.power(); !closed(on) {
		if err := b.wait(ctx, begun); err != nil {
			ctx = failed{ctx, err}
		}
	}
	b.lock.Lock()
	defer b.lock.Unlock()
	return ctx, b.data
}

// failed is a context that has ended with an error.
type failed struct {
	context.Context
	err error
}

func (f failed) Err() error { return f.err }

func (b *backend) Get(ctx context.Context, key string) ([]byte, store.Revision, error) {
	ctx, data := b.reach(ctx)
	return data.Get(ctx, key)
}

func (b *backend) Put(ctx context.Context, key string, value []byte, ttl time.Duration, replaces store.Revision) (store.Revision, error) {
	ctx, data := b.reach(ctx)
	b.lock.Lock()
	b.names[key] = true
	b.lock.Unlock()
	return data.Put(ctx, key, value, ttl, replaces)
}

func (b *backend) Touch(ctx context.Context, key string, ttl time.Duration) error {
	ctx, data := b.reach(ctx)
	return data.Touch(ctx, key, ttl)
}

func (b *backend) Delete(ctx context.Context, key string) (bool, error) {
	ctx, data := b.reach(ctx)
	return data.Delete(ctx, key)
}

func (b *backend) Append(ctx context.Context, stream string, event []byte, ttl time.Duration) (int64, error) {
	ctx, data := b.reach(ctx)
	return data.Append(ctx, stream, event, ttl)
}

func (b *backend) After(ctx context.Context, stream string, id int64, limit int) ([]store.Event, error) {
	ctx, data := b.reach(ctx)
	return data.After(ctx, stream, id, limit)
}

func (b *backend) Drop(ctx context.Context, stream string) error {
	ctx, data := b.reach(ctx)
	return data.Drop(ctx, stream)
}

func (b *backend) Publish(ctx context.Context, topic string, payload []byte) error {
	ctx, data := b.reach(ctx)
	return data.Publish(ctx, topic, payload)
}

// Subscribe subscribes anew some time after each start of the database.
func (b *backend) Subscribe(ctx context.Context, receive func(store.Message)) error {
	ctx, data := b.reach(ctx)
	if err := ctx.Err(); err != nil {
		return err
	}
	connected, disconnect := context.WithCancel(ctx)
	if err := data.Subscribe(connected, receive); err != nil {
		disconnect()
		return err
	}
	go func() {
		defer func() { disconnect() }()
		for {
			_, off := b.power()
			await(ctx, off)
			disconnect()
			on, _ := b.power()
			await(ctx, on)
			await(ctx, time.After(20*latency))
			if ctx.Err() != nil {
				return
			}
			b.reconnect(func() {
				connected, disconnect = context.WithCancel(ctx)
				_, data := b.reach(ctx)
				_ = data.Subscribe(connected, receive)
			}, func() { receive(store.Message{Gap: true}) })
		}
	}()
	return nil
}

// await waits until a channel is ready or a context ends.
func await[T any](ctx context.Context, c <-chan T) {
	select {
	case <-c:
	case <-ctx.Done():
	}
}
