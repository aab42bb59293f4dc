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
			test(t, newHandles(t, one, two))
		})
	}
}

// handles are two handles of one store. The names of a test begin with the prefix.
type handles struct {
	one, two store.Store
	prefix   string
}

func newHandles(t testing.TB, one, two store.Store) handles {
	return handles{one: one, two: two, prefix: t.Name() + fmt.Sprint(time.Now().UnixNano()) + "/"}
}

// both returns the handles in turn.
func (h handles) both(i int) store.Store {
	if i%2 == 0 {
		return h.one
	}
	return h.two
}

// must fails the test unless err is want.
func must(t testing.TB, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) || want == nil && err != nil {
		t.Fatalf("%s: the error is %v, want %v", what, err, want)
	}
}

// eventually waits for something until a condition holds.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(within); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited %s in vain for %s", within, what)
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

func canceled(t *testing.T, h handles) {
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	late, done := context.WithTimeout(t.Context(), -time.Second)
	defer done()
	for want, ctx := range map[error]context.Context{context.Canceled: canceled, context.DeadlineExceeded: late} {
		for what, do := range operations(h.one, h.prefix) {
			must(t, what, do(ctx), want)
		}
	}
}

// operations returns every operation of a store, with a name.
func operations(s store.Store, name string) map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		"Get":       func(ctx context.Context) error { _, _, err := s.Get(ctx, name); return err },
		"Put":       func(ctx context.Context) error { _, err := s.Put(ctx, name, nil, time.Hour, store.Any); return err },
		"Touch":     func(ctx context.Context) error { return s.Touch(ctx, name, time.Hour) },
		"Delete":    func(ctx context.Context) error { _, err := s.Delete(ctx, name); return err },
		"Append":    func(ctx context.Context) error { _, err := s.Append(ctx, name, nil, time.Hour); return err },
		"After":     func(ctx context.Context) error { _, err := s.After(ctx, name, 0, 1); return err },
		"Drop":      func(ctx context.Context) error { return s.Drop(ctx, name) },
		"Publish":   func(ctx context.Context) error { return s.Publish(ctx, name, nil) },
		"Subscribe": func(ctx context.Context) error { return s.Subscribe(ctx, func(store.Message) {}) },
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
