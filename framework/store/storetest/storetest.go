// Package storetest checks that a driver keeps the promises of the package store.
package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/store"
)

// within is how long the effect of a call on another process may take, even on a busy machine.
const within = 5 * time.Second

// Run checks a driver. Open opens two handles of one store, as two processes would have them,
// and closes them at the end of the test. Each test has names of its own, so that the stores may
// all be one.
func Run(t *testing.T, open func(t *testing.T) (one, two store.Store)) {
	t.Helper()
	for name, test := range map[string]func(t *testing.T, h handles){
		"OneReadsWhatTheOtherWrote":     values,
		"ValuesExpire":                  expiry,
		"BytesStayAsTheyAre":            odd,
		"LargeIsStoredAndTooLargeIsNot": large,
		"OneOfManyCreates":              create,
		"OneOfManyDeletes":              remove,
		"NoIncrementIsLost":             increment,
		"RevisionsAreNotUsedAgain":      revisions,
		"ManyKeys":                      many,
		"EventsKeepTheirOrder":          events,
		"EventsExpire":                  eventExpiry,
		"ReadersMissNoEvent":            appenders,
		"EveryHandleHearsTheBus":        bus,
		"ASlowReaderHoldsUpNobody":      slow,
		"AContextThatEnds":              canceled,
		"BytesBelongToTheirOwners":      ownership,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			one, two := open(t)
			test(t, handles{one: one, two: two, prefix: t.Name() + fmt.Sprint(time.Now().UnixNano()) + "/"})
		})
	}
}

// handles are two handles of one store. The names of a test begin with the prefix.
type handles struct {
	one, two store.Store
	prefix   string
}

// both returns the handles in turn.
func (h handles) both(i int) store.Store {
	if i%2 == 0 {
		return h.one
	}
	return h.two
}

// must fails the test unless err is want.
func must(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) || want == nil && err != nil {
		t.Fatalf("%s: the error is %v, want %v", what, err, want)
	}
}

// has checks the value of a key.
func has(t *testing.T, s store.Store, key, want string, at store.Revision) {
	t.Helper()
	value, revision, err := s.Get(t.Context(), key)
	must(t, "get", err, nil)
	if string(value) != want || revision != at {
		t.Errorf("the key has %.40q at %d, want %.40q at %d", value, revision, want, at)
	}
}

// eventually waits until a condition holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(within); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("after %s: not %s", within, what)
		}
	}
}

func values(t *testing.T, h handles) {
	ctx, key := t.Context(), h.prefix+"key"
	_, at, err := h.one.Get(ctx, key)
	must(t, "get nothing", err, store.ErrNotFound)
	if at != store.Absent {
		t.Errorf("the revision of nothing is %d", at)
	}
	must(t, "touch nothing", h.one.Touch(ctx, key, time.Minute), store.ErrNotFound)
	_, err = h.one.Put(ctx, key, []byte("x"), time.Minute, 1)
	must(t, "replace nothing", err, store.ErrConflict)
	first, err := h.one.Put(ctx, key, []byte("first"), time.Minute, store.Absent)
	must(t, "create", err, nil)
	has(t, h.two, key, "first", first)
	_, err = h.two.Put(ctx, key, []byte("x"), time.Minute, store.Absent)
	must(t, "create again", err, store.ErrConflict)
	second, err := h.two.Put(ctx, key, []byte("second"), time.Minute, first)
	must(t, "replace", err, nil)
	has(t, h.one, key, "second", second)
	_, err = h.one.Put(ctx, key, []byte("x"), time.Minute, first)
	must(t, "replace a former value", err, store.ErrConflict)
	third, err := h.one.Put(ctx, key, nil, time.Minute, store.Any)
	must(t, "put nil", err, nil)
	has(t, h.two, key, "", third)
	if deleted, err := h.two.Delete(ctx, key); err != nil || !deleted {
		t.Errorf("delete: %t, %v", deleted, err)
	}
	if deleted, err := h.one.Delete(ctx, key); err != nil || deleted {
		t.Errorf("delete again: %t, %v", deleted, err)
	}
	_, _, err = h.one.Get(ctx, key)
	must(t, "get what was deleted", err, store.ErrNotFound)
}

func expiry(t *testing.T, h handles) {
	const short = 300 * time.Millisecond
	ctx, key, kept := t.Context(), h.prefix+"key", h.prefix+"kept"
	for _, put := range []string{key, kept} {
		_, err := h.one.Put(ctx, put, []byte("x"), short, store.Any)
		must(t, "put", err, nil)
	}
	must(t, "touch", h.two.Touch(ctx, kept, time.Hour), nil)
	eventually(t, "expired", func() bool {
		_, _, err := h.two.Get(ctx, key)
		return errors.Is(err, store.ErrNotFound)
	})
	must(t, "touch what has expired", h.one.Touch(ctx, key, time.Hour), store.ErrNotFound)
	if deleted, err := h.two.Delete(ctx, key); err != nil || deleted {
		t.Errorf("delete what has expired: %t, %v", deleted, err)
	}
	_, err := h.two.Put(ctx, key, []byte("y"), time.Hour, store.Absent)
	must(t, "create after the end of the former value", err, nil)
	_, _, err = h.one.Get(ctx, kept)
	must(t, "get what was touched", err, nil)
	for _, ttl := range []time.Duration{0, -1} {
		_, err := h.one.Put(ctx, key, nil, ttl, store.Any)
		_, appendErr := h.one.Append(ctx, key, nil, ttl)
		if err == nil || appendErr == nil || h.one.Touch(ctx, key, ttl) == nil {
			t.Errorf("a ttl of %d is taken", ttl)
		}
	}
}

func odd(t *testing.T, h handles) {
	ctx := t.Context()
	for i, text := range []string{"\x00", "a\x00b", "\xff\xfe", "a\nb\r", "%_'\"`\\*?[", " ", "ä\u0301", "🎣", "A", "a", "{x}:y", ""} {
		key := h.prefix + text
		at, err := h.both(i).Put(ctx, key, []byte(text), time.Hour, store.Absent)
		must(t, "put", err, nil)
		has(t, h.both(i+1), key, text, at)
		_, err = h.both(i).Append(ctx, key, []byte(text), time.Hour)
		must(t, "append", err, nil)
		reads(t, h.both(i+1), key, 0, text)
	}
}

func large(t *testing.T, h handles) {
	ctx, key := t.Context(), h.prefix+"key"
	for size, want := range map[int]error{64 << 10: nil, store.MaxValue: nil, store.MaxValue + 1: store.ErrTooLarge} {
		value := bytes.Repeat([]byte("0123456789abcde\n\x00"), size/17+1)[:size]
		at, err := h.one.Put(ctx, key, value, time.Hour, store.Any)
		must(t, "put", err, want)
		_, err = h.one.Append(ctx, key, value, time.Hour)
		must(t, "append", err, want)
		if want == nil {
			has(t, h.two, key, string(value), at)
			reads(t, h.two, key, 0, string(value))
			must(t, "drop", h.two.Drop(ctx, key), nil)
		}
	}
	longest := h.prefix + strings.Repeat("k", store.MaxName-len(h.prefix))
	for name, want := range map[string]error{longest: nil, longest + "k": store.ErrTooLarge} {
		_, err := h.one.Put(ctx, name, nil, time.Hour, store.Any)
		must(t, "put a long key", err, want)
		_, err = h.one.Append(ctx, name, nil, time.Hour)
		must(t, "append to a long stream", err, want)
		must(t, "publish a long topic", h.one.Publish(ctx, name, nil), want)
	}
	must(t, "publish", h.one.Publish(ctx, key, make([]byte, store.MaxMessage)), nil)
	must(t, "publish", h.one.Publish(ctx, key, make([]byte, store.MaxMessage+1)), store.ErrTooLarge)
}

// race calls a function n times at once, with the handles in turn, and returns how often it
// reported true.
func race(n int, do func(i int, s store.Store) bool, h handles) int {
	var won atomic.Int32
	var all sync.WaitGroup
	begin := make(chan struct{})
	for i := range n {
		all.Go(func() {
			<-begin
			if do(i, h.both(i)) {
				won.Add(1)
			}
		})
	}
	close(begin)
	all.Wait()
	return int(won.Load())
}

func create(t *testing.T, h handles) {
	for round := range 30 {
		won := race(16, func(i int, s store.Store) bool {
			_, err := s.Put(t.Context(), fmt.Sprint(h.prefix, round), []byte{byte(i)}, time.Hour, store.Absent)
			if err != nil && !errors.Is(err, store.ErrConflict) {
				t.Errorf("put: %v", err)
			}
			return err == nil
		}, h)
		if won != 1 {
			t.Fatalf("%d of 16 have created the value", won)
		}
	}
}

func remove(t *testing.T, h handles) {
	for round := range 30 {
		key := fmt.Sprint(h.prefix, round)
		_, err := h.one.Put(t.Context(), key, nil, time.Hour, store.Absent)
		must(t, "put", err, nil)
		won := race(16, func(_ int, s store.Store) bool {
			deleted, err := s.Delete(t.Context(), key)
			if err != nil {
				t.Errorf("delete: %v", err)
			}
			return deleted
		}, h)
		if won != 1 {
			t.Fatalf("%d of 16 have deleted the value", won)
		}
	}
}

func increment(t *testing.T, h handles) {
	ctx, key := t.Context(), h.prefix+"count"
	_, err := h.one.Put(ctx, key, nil, time.Hour, store.Absent)
	must(t, "put", err, nil)
	race(8, func(_ int, s store.Store) bool {
		for done := 0; done < 10; {
			value, at, err := s.Get(ctx, key)
			if err == nil {
				_, err = s.Put(ctx, key, append(value, 'x'), time.Hour, at)
			}
			switch {
			case err == nil:
				done++
			case !errors.Is(err, store.ErrConflict):
				t.Errorf("increment: %v", err)
				return false
			}
		}
		return true
	}, h)
	if value, _, err := h.two.Get(ctx, key); err != nil || len(value) != 80 {
		t.Errorf("80 increments make %d, %v", len(value), err)
	}
}

func revisions(t *testing.T, h handles) {
	ctx, key := t.Context(), h.prefix+"key"
	seen := map[store.Revision]bool{}
	for i := range 10 {
		at, err := h.both(i).Put(ctx, key, nil, time.Hour, store.Any)
		must(t, "put", err, nil)
		if at <= 0 || seen[at] {
			t.Fatalf("the revision is %d, after %v", at, seen)
		}
		seen[at] = true
		if i%3 == 2 {
			_, err := h.both(i+1).Delete(ctx, key)
			must(t, "delete", err, nil)
		}
	}
}

func many(t *testing.T, h handles) {
	const n = 10_000
	race(8, func(worker int, s store.Store) bool {
		for i := worker; i < n; i += 8 {
			key := fmt.Sprint(h.prefix, i)
			if _, err := s.Put(t.Context(), key, []byte(key), time.Hour, store.Absent); err != nil {
				t.Errorf("put: %v", err)
				return false
			}
		}
		return true
	}, h)
	race(8, func(worker int, s store.Store) bool {
		for i := worker; i < n; i += 8 {
			key := fmt.Sprint(h.prefix, i)
			if value, _, err := s.Get(t.Context(), key); err != nil || string(value) != key {
				t.Errorf("the key %s has %q, %v", key, value, err)
				return false
			}
		}
		return true
	}, h)
}

func canceled(t *testing.T, h handles) {
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	late, done := context.WithTimeout(t.Context(), -time.Second)
	defer done()
	for want, ctx := range map[error]context.Context{context.Canceled: canceled, context.DeadlineExceeded: late} {
		for what, do := range map[string]func() error{
			"Get":       func() error { _, _, err := h.one.Get(ctx, h.prefix); return err },
			"Put":       func() error { _, err := h.one.Put(ctx, h.prefix, nil, time.Hour, store.Any); return err },
			"Touch":     func() error { return h.one.Touch(ctx, h.prefix, time.Hour) },
			"Delete":    func() error { _, err := h.one.Delete(ctx, h.prefix); return err },
			"Append":    func() error { _, err := h.one.Append(ctx, h.prefix, nil, time.Hour); return err },
			"After":     func() error { _, err := h.one.After(ctx, h.prefix, 0, 1); return err },
			"Drop":      func() error { return h.one.Drop(ctx, h.prefix) },
			"Publish":   func() error { return h.one.Publish(ctx, h.prefix, nil) },
			"Subscribe": func() error { return h.one.Subscribe(ctx, func(store.Message) {}) },
		} {
			must(t, what, do(), want)
		}
	}
}

func ownership(t *testing.T, h handles) {
	ctx, data := t.Context(), []byte("before")
	at, err := h.one.Put(ctx, h.prefix, data, time.Hour, store.Any)
	must(t, "put", err, nil)
	_, err = h.one.Append(ctx, h.prefix, data, time.Hour)
	must(t, "append", err, nil)
	heard := hear(t, h.two)
	must(t, "publish", h.one.Publish(ctx, h.prefix, data), nil)
	copy(data, "AFTER!")
	value, _, err := h.one.Get(ctx, h.prefix)
	must(t, "get", err, nil)
	copy(value, "AFTER!")
	events, err := h.one.After(ctx, h.prefix, 0, 1)
	must(t, "after", err, nil)
	copy(events[0].Data, "AFTER!")
	has(t, h.one, h.prefix, "before", at)
	reads(t, h.one, h.prefix, 0, "before")
	eventually(t, "the message as it was", func() bool { return heard.has(h.prefix, "before") })
}
