package storetest

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/store"
)

// all returns the events of a stream after the one with an id.
func all(t testing.TB, s store.Store, stream string, after int64) (found []store.Event) {
	t.Helper()
	for {
		events, err := s.After(t.Context(), stream, after, 100)
		must(t, "after", err, nil)
		if len(events) == 0 {
			return found
		}
		for _, e := range events {
			if e.ID <= after {
				t.Fatalf("the event %d comes after %d", e.ID, after)
			}
			after, found = e.ID, append(found, e)
		}
	}
}

// reads checks the events of a stream after the one with an id, and returns their ids.
func reads(t *testing.T, s store.Store, stream string, after int64, want ...string) (ids []int64) {
	t.Helper()
	var got []string
	for _, e := range all(t, s, stream, after) {
		ids, got = append(ids, e.ID), append(got, string(e.Data))
	}
	if !slices.Equal(got, want) {
		t.Errorf("the stream has %.200q, want %.200q", got, want)
	}
	return ids
}

func events(t *testing.T, h handles) {
	ctx, stream := t.Context(), h.prefix+"stream"
	reads(t, h.one, stream, 0)
	must(t, "drop nothing", h.one.Drop(ctx, stream), nil)
	var ids []int64
	for i, data := range []string{"a", "b", "c", "", "e"} {
		id, err := h.both(i).Append(ctx, stream, []byte(data), time.Hour)
		must(t, "append", err, nil)
		ids = append(ids, id)
		_, err = h.both(i+1).Append(ctx, h.prefix+"other", []byte("other"), time.Hour)
		must(t, "append", err, nil)
	}
	if got := reads(t, h.two, stream, 0, "a", "b", "c", "", "e"); !slices.Equal(got, ids) || ids[0] <= 0 {
		t.Errorf("the events have the ids %v, but Append returned %v", got, ids)
	}
	reads(t, h.one, stream, ids[2], "", "e")
	reads(t, h.one, stream, ids[4])
	reads(t, h.one, stream, ids[4]+1000)
	for limit, want := range map[int]int{-1: 0, 0: 0, 1: 1, 5: 5, 6: 5} {
		got, err := h.one.After(ctx, stream, 0, limit)
		must(t, "after", err, nil)
		if len(got) > want || want > 0 && len(got) == 0 {
			t.Errorf("After with the limit %d returns %d events", limit, len(got))
		}
	}
	must(t, "drop", h.two.Drop(ctx, stream), nil)
	reads(t, h.one, stream, 0)
	reads(t, h.one, h.prefix+"other", 0, "other", "other", "other", "other", "other")
	id, err := h.one.Append(ctx, stream, []byte("again"), time.Hour)
	must(t, "append", err, nil)
	if id <= ids[4] {
		t.Errorf("after Drop, the event %d comes after %d", id, ids[4])
	}
	reads(t, h.two, stream, ids[4], "again")
}

func eventExpiry(t *testing.T, h handles) {
	ctx := t.Context()
	for _, stream := range []string{"short", "long"} {
		_, err := h.one.Append(ctx, h.prefix+stream, []byte("x"), 300*time.Millisecond)
		must(t, "append", err, nil)
	}
	_, err := h.one.Append(ctx, h.prefix+"long", []byte("y"), time.Hour)
	must(t, "append", err, nil)
	eventually(t, "the end of the events", func() bool {
		events, err := h.two.After(ctx, h.prefix+"short", 0, 10)
		must(t, "after", err, nil)
		return len(events) == 0
	})
	events, err := h.two.After(ctx, h.prefix+"long", 0, 10)
	must(t, "after", err, nil)
	if len(events) == 0 || string(events[len(events)-1].Data) != "y" {
		t.Errorf("the stream has %v", events)
	}
}

// appenders checks that one who reads from the last event on, while others append, gets all.
func appenders(t *testing.T, h handles) {
	const writers, each = 8, 50
	ctx, stream := t.Context(), h.prefix+"stream"
	var all sync.WaitGroup
	for i := range writers {
		all.Go(func() {
			for j := range each {
				if _, err := h.both(i).Append(ctx, stream, fmt.Append(nil, i, j), time.Hour); err != nil {
					t.Errorf("append: %v", err)
					return
				}
			}
		})
	}
	got, next, last := 0, make([]int, writers), int64(0)
	eventually(t, "all events", func() bool {
		events, err := h.one.After(ctx, stream, last, 7)
		must(t, "after", err, nil)
		for _, e := range events {
			var i, j int
			if _, err := fmt.Sscan(string(e.Data), &i, &j); err != nil || e.ID <= last || j != next[i] {
				t.Fatalf("after the event %d comes %d of the writer %d with %d instead of %d, %v", last, e.ID, i, j, next[i], err)
			}
			last, next[i], got = e.ID, j+1, got+1
		}
		return got == writers*each
	})
	all.Wait()
	if more, err := h.two.After(ctx, stream, last, 1); err != nil || len(more) > 0 {
		t.Errorf("after the last event there is %v, %v", more, err)
	}
}
