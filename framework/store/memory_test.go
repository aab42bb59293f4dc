package store_test

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/store"
	"github.com/bowline-mcp/bowline/framework/store/storetest"
)

func TestMemoryIsAStore(t *testing.T) {
	t.Parallel()
	shared := store.NewMemory()
	storetest.Run(t, func(*testing.T) (one, two store.Store) { return shared, shared })
}

func TestMemoryThatIsFullTakesNothingUntilSomethingExpires(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m, ctx, large := store.NewMemory(), t.Context(), make([]byte, store.MaxValue)
		full := false
		for i := 0; !full; i++ {
			_, err := m.Append(ctx, "stream", large, time.Duration(i+1)*time.Minute)
			if full = err != nil; full && i < 10 || i > 100 {
				t.Fatalf("it takes %d large events: %v", i, err)
			}
		}
		if _, err := m.Put(ctx, "key", large, time.Hour, store.Any); err == nil || errors.Is(err, store.ErrTooLarge) {
			t.Errorf("a value that doesn't fit: %v", err)
		}
		time.Sleep(time.Minute)
		if _, err := m.Append(ctx, "stream", nil, time.Hour); err != nil {
			t.Errorf("an event after the oldest has expired: %v", err)
		}
		if _, err := m.Put(ctx, "key", large[:1<<20], time.Hour, store.Any); err != nil {
			t.Errorf("a value after the oldest event has expired: %v", err)
		}
		if err := m.Drop(ctx, "stream"); err != nil {
			t.Error(err)
		}
		for range 40 { // more than fit; what is replaced counts no longer
			if _, err := m.Put(ctx, "key", large, time.Hour, store.Any); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestMemoryForgetsWhatHasExpired(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m, ctx := store.NewMemory(), t.Context()
		if _, err := m.Put(ctx, "key", []byte("x"), time.Minute, store.Any); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute - 1)
		if _, _, err := m.Get(ctx, "key"); err != nil {
			t.Errorf("just before its end, a value is gone: %v", err)
		}
		if time.Sleep(time.Nanosecond); !notFound(m.Get(ctx, "key")) {
			t.Error("a value is kept beyond its ttl")
		}
	})
}

func notFound(_ []byte, _ store.Revision, err error) bool { return errors.Is(err, store.ErrNotFound) }

// A store belongs to no App, so nothing would end its goroutines.
func TestMemoryRunsNoGoroutineWhileNobodyIsToldAnything(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := store.NewMemory()
		ctx, cancel := context.WithCancel(t.Context())
		var received atomic.Int64
		for range 10 {
			if err := m.Subscribe(ctx, func(store.Message) { received.Add(1) }); err != nil {
				t.Fatal(err)
			}
			if err := m.Publish(ctx, "topic", nil); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		if received.Load() != 55 {
			t.Errorf("10 subscribers receive %d messages", received.Load())
		}
		cancel()
		runtime.KeepAlive(m)
	}) // fails if a goroutine of the bubble is left
}
