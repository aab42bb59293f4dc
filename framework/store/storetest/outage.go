package storetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/store"
)

// patience is how long the context of an operation lasts during an outage. The operation returns
// at its end; a second one is for a busy machine. Many clients of databases give up after 3 s
// whatever the context says, which must not pass.
const patience = time.Second

// A Backend is what a driver keeps its data in, such as a database server.
type Backend struct {
	// Stop makes the backend unreachable: it kills or pauses its process, or cuts its network.
	// Start makes it reachable again, and returns when it is.
	Stop, Start func()

	// Durable says that a stop loses nothing that the backend has acknowledged.
	Durable bool
}

// Outage checks what a driver does while its backend is stopped, and after it was started again.
// It takes two handles of one store, as two processes would have them. Connections to a backend
// that was killed fail, and those to a paused one hang, so a driver runs it once for each.
func Outage(t testing.TB, one, two store.Store, backend Backend) {
	t.Helper()
	h := newHandles(t, one, two)
	writers := []*writer{write(t, one, h.prefix+"one"), write(t, two, h.prefix+"two")}
	subscribers := []*heard{hear(t, one), hear(t, two)}
	for _, w := range writers {
		eventually(t, "ten writes", func() bool { return w.put.Load() >= 10 })
	}
	must(t, "publish", one.Publish(t.Context(), h.prefix+"before", nil), nil)
	backend.Stop()
	unreachable(t, h)
	for _, w := range writers {
		w.end(t)
	}
	backend.Start()
	hearAgain(t, h, subscribers...)
	for i := range 2 {
		for what, do := range operations(h.both(i), h.prefix) {
			eventually(t, "success of "+what+" after the outage", func() bool { return works(t, do) })
		}
	}
	if backend.Durable {
		writers[0].kept(t, two)
		writers[1].kept(t, one)
	}
}

// unreachable checks that every operation returns an error by the end of its context, which is a
// deadline with one handle and a cancellation with the other.
func unreachable(t testing.TB, h handles) {
	t.Helper()
	late, done := context.WithTimeout(t.Context(), patience)
	defer done()
	canceled, cancel := context.WithCancel(t.Context())
	defer cancel()
	time.AfterFunc(patience, cancel)
	type outcome struct{ what, problem string }
	outcomes, running := make(chan outcome, 100), map[string]bool{}
	begin := func(ctx context.Context, how string, s store.Store) {
		for what, do := range operations(s, h.prefix) {
			what += how
			running[what] = true
			go func() {
				err := do(ctx)
				outcomes <- outcome{what, outageProblem(err, ctx.Err())}
			}()
		}
	}
	begin(late, " with a deadline", h.one)
	begin(canceled, " that is canceled", h.two)
	for hung := time.After(2 * patience); len(running) > 0; {
		select {
		case o := <-outcomes:
			if delete(running, o.what); o.problem != "" {
				t.Errorf("while the backend is stopped, %s %s", o.what, o.problem)
			}
		case <-hung:
			t.Fatalf("while the backend is stopped, these hang: %q", slices.Sorted(maps.Keys(running)))
		}
	}
}

// outageProblem returns what is wrong with the error of an operation that can't reach the backend.
// Ended is the error of its context.
func outageProblem(err, ended error) string {
	switch {
	case err == nil:
		return "returns no error, as if the backend had answered"
	case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrConflict), errors.Is(err, store.ErrTooLarge):
		return fmt.Sprintf("returns %q, as if the backend had answered", err)
	case ended != nil && !errors.Is(err, ended):
		return fmt.Sprintf("returns %q, which doesn't wrap %q", err, ended)
	}
	return ""
}

// works reports whether the backend answers an operation.
func works(t testing.TB, do func(context.Context) error) bool {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	err := do(ctx)
	return err == nil || errors.Is(err, store.ErrNotFound)
}

// hearAgain checks that subscribers know of the outage, unless they have missed nothing, and that
// they receive what is published from then on.
func hearAgain(t testing.TB, h handles, subscribers ...*heard) {
	t.Helper()
	publish := func(topic string) func() bool {
		return func() bool {
			return works(t, func(ctx context.Context) error { return h.one.Publish(ctx, h.prefix+topic, nil) })
		}
	}
	eventually(t, "success of Publish after the outage", publish("first"))
	for _, subscriber := range subscribers {
		for _, topic := range []string{"before", "first"} {
			eventually(t, "a message or a gap after the outage", func() bool { return subscriber.told(h.prefix+topic, "") })
		}
		again := publish("again")
		eventually(t, "messages after the outage", func() bool { return again() && subscriber.has(h.prefix+"again", "") })
	}
}

// A writer appends the numbers from 0 to a stream and puts them under a key, until its context
// ends or an operation fails.
type writer struct {
	name     string // of the stream and the key
	cancel   context.CancelFunc
	ended    chan struct{}
	appended int64        // how many numbers
	put      atomic.Int64 // how many numbers
	id       int64        // of the last event
	at       store.Revision
}

func write(t testing.TB, s store.Store, name string) *writer {
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	w := &writer{name: name, cancel: cancel, ended: make(chan struct{})}
	go func() {
		defer close(w.ended)
		for {
			number := fmt.Append(nil, w.appended)
			id, err := s.Append(ctx, name, number, time.Hour)
			if err != nil {
				return
			}
			w.appended, w.id = w.appended+1, id
			at, err := s.Put(ctx, name, number, time.Hour, store.Any)
			if err != nil {
				return
			}
			w.at = at
			w.put.Add(1)
		}
	}()
	return w
}

// end cancels the writer.
func (w *writer) end(t testing.TB) {
	t.Helper()
	w.cancel()
	select {
	case <-w.ended:
	case <-time.After(patience):
		t.Fatal("a write that was running when the backend stopped hangs after it was canceled")
	}
}

// kept checks that the store has what it has acknowledged, and continues after it.
func (w *writer) kept(t testing.TB, s store.Store) {
	t.Helper()
	events := all(t, s, w.name, 0)
	for i := range w.appended {
		if i >= int64(len(events)) || string(events[i].Data) != fmt.Sprint(i) {
			t.Fatalf("event %d of %d was acknowledged before the outage, but isn't there after it", i+1, w.appended)
		}
	}
	value, _, err := s.Get(t.Context(), w.name)
	must(t, "get", err, nil)
	if number, err := strconv.ParseInt(string(value), 10, 64); err != nil || number < w.put.Load()-1 {
		t.Errorf("after the outage the key has %q, although %d was acknowledged", value, w.put.Load()-1)
	}
	id, err := s.Append(t.Context(), w.name, nil, time.Hour)
	must(t, "append", err, nil)
	at, err := s.Put(t.Context(), w.name, nil, time.Hour, store.Any)
	must(t, "put", err, nil)
	if id <= w.id || at <= 0 || at == w.at {
		t.Errorf("after the outage the event %d and the revision %d follow %d and %d", id, at, w.id, w.at)
	}
}
