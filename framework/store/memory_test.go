package store_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/store"
	"github.com/bowline-mcp/bowline/framework/store/storetest"
	"github.com/bowline-mcp/bowline/internal/limits"
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

// The store is filled to its last byte, so that the count of each operation matters.
func TestMemoryCountsWhatItHas(t *testing.T) {
	t.Parallel()
	m, full := store.NewMemory(), "the store in memory is full: it has 256 MiB; use a store on disk, or keep less"
	put := func(want, key string, size int) {
		t.Helper()
		_, err := m.Put(t.Context(), key, make([]byte, size), time.Hour, store.Any)
		if got := fmt.Sprint(err); got != want {
			t.Errorf("a value of %d bytes gets %q, want %q", size, got, want)
		}
	}
	const fits = "<nil>"
	left := limits.StoreBytes - 1000 - 2*(1+limits.StoreCost) // beside a value of 1000 bytes and the last one of the others
	for key := byte('A'); left > store.MaxValue; key++ {
		put(fits, string(key), store.MaxValue)
		left -= store.MaxValue + 1 + limits.StoreCost
	}
	put(fits, "z", left)
	put(full, "a", 1001)
	put(fits, "a", 1000)
	put(fits, "a", 1000) // instead of the former one
	put(full, "a", 1001)
	put(full, "b", 0)
	put(fits, "a", 100)
	put(full, "b", 901-1-limits.StoreCost)
	put(fits, "b", 900-1-limits.StoreCost)
	put(full, "c", 0)
	if _, err := m.Delete(t.Context(), "b"); err != nil {
		t.Error(err)
	}
	put(full, "c", 901-1-limits.StoreCost)
	put(fits, "c", 900-1-limits.StoreCost)
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

func TestASubscriberOfMemoryMissesNothingUnlessTooManyMessagesWait(t *testing.T) {
	t.Parallel()
	for sent, want := range map[int]string{limits.StoreMessages: "", limits.StoreMessages + 1: "a gap"} {
		synctest.Test(t, func(t *testing.T) {
			m, block, received, gap := store.NewMemory(), make(chan struct{}), 0, ""
			err := m.Subscribe(t.Context(), func(message store.Message) {
				if <-block; message.Gap {
					gap = "a gap"
				}
				received++
			})
			for range sent + 1 { // the subscriber has the first one
				err = errors.Join(err, m.Publish(t.Context(), "topic", nil))
				synctest.Wait()
			}
			close(block)
			synctest.Wait()
			if all := received == sent+1; err != nil || gap != want || all != (want == "") {
				t.Errorf("of %d messages that wait, it receives %d, and %q: %v", sent, received-1, gap, err)
			}
		})
	}
}
