package storetest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/store"
)

// has checks the value of a key.
func has(t *testing.T, s store.Store, key, want string, at store.Revision) {
	t.Helper()
	value, revision, err := s.Get(t.Context(), key)
	must(t, "get", err, nil)
	if string(value) != want || revision != at {
		t.Errorf("the key has %.40q at %d, want %.40q at %d", value, revision, want, at)
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
	eventually(t, "the end of a value", func() bool {
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
