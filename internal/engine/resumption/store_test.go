package resumption_test

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"testing"

	"github.com/bowline-mcp/bowline/internal/engine/resumption"
	"github.com/bowline-mcp/bowline/internal/engine/throttle"
)

// keep appends n events of a size to a stream of a session. First is the number of the first.
func keep(store *resumption.Memory, session string, stream, first uint64, n, size int) {
	message := make([]byte, size)
	for i := range n {
		_ = store.Append(context.Background(), throttle.Key{}, session, resumption.Event{Stream: stream, Number: first + uint64(i), Message: message}) //nolint:gosec // small
	}
}

// kept returns the numbers of the stored events of a stream.
func kept(store *resumption.Memory, session string, stream uint64) (numbers []uint64) {
	events, _ := store.Events(context.Background(), session, stream, 0)
	for _, e := range events {
		numbers = append(numbers, e.Number)
	}
	return numbers
}

func TestEventsAreKeptByTheirSessionAndStream(t *testing.T) {
	t.Parallel()
	store := &resumption.Memory{}
	keep(store, "a", 1, 1, 2, 10)
	keep(store, "a", 2, 3, 1, 10)
	keep(store, "a", 1, 4, 1, 10)
	keep(store, "b", 1, 1, 1, 10)
	check := func(session string, stream uint64, want ...uint64) {
		t.Helper()
		if got := kept(store, session, stream); !slices.Equal(got, want) {
			t.Errorf("session %s keeps %v of stream %d, want %v", session, got, stream, want)
		}
	}
	check("a", 1, 1, 2, 4)
	check("a", 2, 3)
	check("b", 1, 1)
	check("c", 1)
	_ = store.Delete(t.Context(), "a", 1)
	_ = store.Delete(t.Context(), "c", 1)
	check("a", 1)
	check("a", 2, 3)
	_ = store.Delete(t.Context(), "a", 2)
	check("a", 2)
	_ = store.DeleteSession(t.Context(), "b")
	_ = store.DeleteSession(t.Context(), "c")
	check("b", 1)
	keep(store, "a", 3, 5, 1, 10)
	check("a", 3, 5)
}

func TestOnlyTheLatestEventsOfASessionAreKept(t *testing.T) {
	t.Parallel()
	store := &resumption.Memory{}
	keep(store, "a", 1, 1, 1200, 10)
	if got := kept(store, "a", 1); len(got) != 1000 || got[0] != 201 {
		t.Errorf("%d events are kept, from %d; want the last 1000", len(got), got[0])
	}
	keep(store, "a", 1, 1201, 5, 1<<20)
	if got := kept(store, "a", 1); !slices.Equal(got, []uint64{1203, 1204, 1205}) {
		t.Errorf("the events %v are kept, want as many as have 4 MiB together with their numbers", got)
	}
	keep(store, "a", 1, 1206, 1, 4<<20-64)
	if got := kept(store, "a", 1); !slices.Equal(got, []uint64{1206}) {
		t.Errorf("the events %v are kept, want the one that has 4 MiB", got)
	}
	keep(store, "a", 1, 1207, 2, 2<<20-64)
	if got := kept(store, "a", 1); !slices.Equal(got, []uint64{1207, 1208}) {
		t.Errorf("the events %v are kept, want the two that have 4 MiB", got)
	}
}

func TestTheLeastRecentlyActiveSessionLosesItsEvents(t *testing.T) {
	t.Parallel()
	store := &resumption.Memory{}
	keep(store, "small", 1, 1, 1, 10)
	for i := range 15 {
		keep(store, fmt.Sprint(i), 1, 1, 1, 4<<20-64)
	}
	keep(store, "small", 1, 2, 1, 10) // makes the session the most recently active
	keep(store, "15", 1, 1, 1, 4<<20-64)
	for session, want := range map[string]int{"0": 0, "1": 1, "15": 1, "small": 2} {
		if got := len(kept(store, session, 1)); got != want {
			t.Errorf("session %s keeps %d events, want %d", session, got, want)
		}
	}
	_ = store.DeleteSession(t.Context(), "1") // makes room
	keep(store, "16", 1, 1, 1, 4<<20-64)
	if len(kept(store, "2", 1)) != 1 {
		t.Error("an event was dropped though there is room")
	}
	_ = store.DeleteSession(t.Context(), "small")
	keep(store, "17", 1, 1, 1, 4<<20-64) // now all have 64 MiB together
	if len(kept(store, "2", 1)) != 1 {
		t.Error("an event was dropped though all have just as much as is allowed")
	}
}

func TestTheEventsOfADeletedStreamMakeRoom(t *testing.T) {
	t.Parallel()
	store := &resumption.Memory{}
	keep(store, "a", 1, 1, 1, 1<<20)
	for i := range uint64(3) {
		keep(store, "a", 2, 2+i, 1, 3<<20-2*64)
		if got := kept(store, "a", 1); !slices.Equal(got, []uint64{1}) {
			t.Fatalf("the events %v of the other stream are kept", got)
		}
		_ = store.Delete(t.Context(), "a", 2)
	}
}

// The client may want to resume a stream whose events were dropped.
func TestAnEndedStreamWithDroppedEventsIsUnknown(t *testing.T) {
	t.Parallel()
	session, first, second := modern(), &connection{}, &connection{}
	ended, goesOn := session.Begin(first), session.Begin(second)
	ended.End([]byte("the answer"))
	goesOn.Release(second)
	for range 1001 {
		send(t, goesOn, "x")
	}
	refuses(t, session, first.last(), resumption.ErrUnknownEvent)
	_, back := open(t, session, second.last())
	if n := len(back.ids); n != 1+1000 {
		t.Errorf("%d events come back, want 1000", n-1)
	}
}

// A client with large answers doesn't displace the events of other clients.
func TestAFullStoreDropsEventsOfTheClientWithTheMost(t *testing.T) {
	t.Parallel()
	store := &resumption.Memory{}
	ada, eve := throttle.KeyOf("ada", netip.Addr{}), throttle.KeyOf("eve", netip.Addr{})
	_ = store.Append(context.Background(), ada, "a", resumption.Event{Stream: 1, Number: 1, Message: make([]byte, 1<<20)})
	for i := range 40 {
		_ = store.Append(context.Background(), eve, fmt.Sprint("e", i), resumption.Event{Stream: 1, Number: 1, Message: make([]byte, 3<<20)})
	}
	if got := kept(store, "a", 1); len(got) != 1 {
		t.Error("the event of another client was dropped")
	}
	for session, want := range map[string]int{"e0": 0, "e39": 1} {
		if got := kept(store, session, 1); len(got) != want {
			t.Errorf("of session %s, %v are kept", session, got)
		}
	}
}
