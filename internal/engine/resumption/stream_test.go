package resumption_test

import (
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/bowline-mcp/bowline/internal/engine/resumption"
	"github.com/bowline-mcp/bowline/internal/engine/throttle"
	"github.com/bowline-mcp/bowline/internal/limits"
)

func TestEventsAreNumberedInOrder(t *testing.T) {
	t.Parallel()
	session, first, second := modern(), &connection{}, &connection{}
	one, two := session.Begin(first), session.Begin(second)
	send(t, one, "a")
	send(t, two, "b")
	send(t, one, "c")
	if err := one.Send([]byte("in "), []byte("pieces")); err != nil {
		t.Error(err)
	}
	first.gets(t, "a", "c", "in pieces")
	second.gets(t, "b")
	var ids []string
	for _, id := range append(first.ids, second.ids...) {
		ids = append(ids, numbers(id))
	}
	s1, _, _ := strings.Cut(ids[0], "-")
	s2, _, _ := strings.Cut(ids[len(ids)-1], "-")
	if want := []string{s1 + "-0", s1 + "-1", s1 + "-3", s1 + "-4", s2 + "-0", s2 + "-2"}; s1 == s2 || !slices.Equal(ids, want) {
		t.Errorf("the ids are %q, want %q", ids, want)
	}
}

// Older clients treat an event without data as an error.
func TestOnlyAClientThatResumesGetsAnIDBeforeTheFirstMessage(t *testing.T) {
	t.Parallel()
	for _, resumes := range []bool{false, true} {
		session, c := resumption.NewSession(&resumption.Memory{}, "session", throttle.Key{}, resumes), &connection{}
		session.Begin(c)
		if told := len(c.ids) > 0; told != resumes || session.Resumes() != resumes {
			t.Errorf("a client that resumes (%t) gets the ids %q", resumes, c.ids)
		}
	}
}

func TestABrokenStreamIsResumed(t *testing.T) {
	t.Parallel()
	for _, resumes := range []bool{false, true} {
		session, broken := resumption.NewSession(&resumption.Memory{}, "session", throttle.Key{}, resumes), &connection{}
		stream := session.Begin(broken)
		send(t, stream, "one", "two")
		last := broken.last()
		broken.gets(t, "one", "two")
		broken.breaks()
		if err := stream.Send([]byte("three")); err == nil {
			t.Error("Send doesn't tell that the connection is broken")
		}
		send(t, stream, "four") // without a connection
		again, back := open(t, session, last)
		back.gets(t, "three", "four")
		send(t, again, "five")
		stream.End([]byte("the "), []byte("answer"))
		back.gets(t, "five", "the answer")
		if !back.hasEnded() {
			t.Error("the connection is open after the answer")
		}
		again.Release(back)
		broken.gets(t)
	}
}

func TestAClientThatReconnectsLateGetsTheAnswer(t *testing.T) {
	t.Parallel()
	session, first := modern(), &connection{}
	stream := session.Begin(first)
	send(t, stream, "one")
	begin := first.last()
	stream.Release(first)
	send(t, stream, "two")
	stream.End([]byte("the answer"))
	for range 2 { // the first answer may be lost
		again, back := open(t, session, begin)
		back.gets(t, "two", "the answer")
		if !back.hasEnded() {
			t.Error("the connection is open after the answer")
		}
		again.Release(back)
		refuses(t, session, back.last(), resumption.ErrEnded)
	}
}

func TestAStreamThatEndsWithoutAnAnswerEndsItsConnection(t *testing.T) {
	t.Parallel()
	session, first := modern(), &connection{}
	stream := session.Begin(first)
	id := first.last()
	stream.Release(first)
	_, back := open(t, session, id)
	stream.End()
	back.gets(t)
	if !back.hasEnded() {
		t.Error("the connection is open")
	}
	refuses(t, session, id, resumption.ErrUnknownEvent)
	if err := stream.Send([]byte("too late")); err != nil {
		t.Error(err)
	}
	back.gets(t)
}

// The transport ends the connection of a call when the call ends.
func TestTheAnswerDoesNotEndTheConnectionOfItsCall(t *testing.T) {
	t.Parallel()
	session, c := modern(), &connection{}
	session.Begin(c).End([]byte("the answer"))
	c.gets(t, "the answer")
	if c.hasEnded() {
		t.Error("the connection was ended")
	}
}

func TestOnlyTheAnswerIsSentApart(t *testing.T) {
	t.Parallel()
	session, c := modern(), &connection{}
	stream := session.Begin(c)
	send(t, stream, "a", "b")
	stream.End([]byte("the answer"))
	if !slices.Equal(c.apart, []string{"b"}) {
		t.Errorf("events are sent apart after %q", c.apart)
	}
	c.gets(t, "a", "b", "the answer")
}

func TestOnlyTheStreamOfTheEventIsResumed(t *testing.T) {
	t.Parallel()
	session := modern()
	var ids []string
	for _, words := range [][]string{{"a", "b"}, {"c", "d"}} {
		c := &connection{}
		stream := session.Begin(c)
		ids = append(ids, c.last())
		send(t, stream, words...)
		stream.Release(c)
	}
	_, first := open(t, session, ids[0])
	_, second := open(t, session, ids[1])
	first.gets(t, "a", "b")
	second.gets(t, "c", "d")
}

// A client that reconnects no longer reads its old connection.
func TestAStreamHasOneConnectionAtATime(t *testing.T) {
	t.Parallel()
	session, first := modern(), &connection{}
	stream := session.Begin(first)
	send(t, stream, "one")
	_, second := open(t, session, first.last())
	send(t, stream, "two")
	_, third := open(t, session, second.last())
	send(t, stream, "three")
	if !first.hasEnded() || !second.hasEnded() || third.hasEnded() {
		t.Error("not just the last connection is open")
	}
	first.gets(t, "one")
	second.gets(t, "two")
	third.gets(t, "three")
	stream.Release(second) // its request ends only now
	send(t, stream, "four")
	third.gets(t, "four")
}

// If the new connection waited for the old one, it would wait until a write times out.
func TestAHangingConnectionIsReplaced(t *testing.T) {
	for name, hang := range map[string]func(t *testing.T, session *resumption.Session, stream *resumption.Stream, first *connection) *connection{
		"while a message is sent": func(_ *testing.T, _ *resumption.Session, stream *resumption.Stream, first *connection) *connection {
			first.stopsReading()
			go func() { _ = stream.Send([]byte("two")) }()
			return first
		},
		"while the answer is sent": func(_ *testing.T, _ *resumption.Session, stream *resumption.Stream, first *connection) *connection {
			first.stopsReading()
			go stream.End([]byte("two"))
			return first
		},
		"during a replay": func(t *testing.T, session *resumption.Session, stream *resumption.Stream, first *connection) *connection {
			stream.Release(first)
			send(t, stream, "two")
			stuck := &connection{}
			stuck.stopsReading()
			again, after, err := session.Open(t.Context(), first.last())
			if err != nil {
				t.Fatal(err)
			}
			go again.Connect(t.Context(), stuck, after)
			return stuck
		},
		"during a replay of a stream that has ended": func(t *testing.T, session *resumption.Session, stream *resumption.Stream, first *connection) *connection {
			stream.Release(first)
			stream.End([]byte("two"))
			stuck := &connection{}
			stuck.stopsReading()
			again, after, err := session.Open(t.Context(), first.last())
			if err != nil {
				t.Fatal(err)
			}
			go func() {
				again.Connect(t.Context(), stuck, after)
				again.Release(stuck)
			}()
			return stuck
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				session, first := modern(), &connection{}
				stream := session.Begin(first)
				send(t, stream, "one")
				last := first.last()
				stuck := hang(t, session, stream, first)
				synctest.Wait()
				start := time.Now()
				_, back := open(t, session, last)
				back.gets(t, "two")
				if !stuck.hasEnded() || time.Since(start) > 0 {
					t.Error("the connection that hangs holds up the new one")
				}
			})
		})
	}
}

// If two connections resume the same stream at once, one gets it, and the other ends.
func TestTwoConnectionsForOneStreamDoNotShareIt(t *testing.T) {
	t.Parallel()
	session, first := modern(), &connection{}
	stream := session.Begin(first)
	send(t, stream, "one", "two", "three")
	again, after, err := session.Open(t.Context(), strings.TrimSuffix(first.last(), "3")+"0")
	if err != nil {
		t.Fatal(err)
	}
	var second sync.WaitGroup
	replayed, later := &connection{}, &connection{}
	replayed.between = func() { // the second connects in the middle of the replay
		second.Go(func() { stream.Connect(t.Context(), later, 1) })
		for !replayed.hasEnded() {
			time.Sleep(time.Millisecond)
		}
	}
	again.Connect(t.Context(), replayed, after)
	second.Wait()
	send(t, stream, "four")
	if later.hasEnded() {
		t.Error("the later connection is not the one that stays")
	}
	replayed.gets(t)
	later.gets(t, "two", "three", "four")
}

// What is sent during a replay is part of it.
func TestAStreamListensOnlyAfterItsReplay(t *testing.T) {
	t.Parallel()
	session := modern()
	stream, first := open(t, session, "")
	stream.Release(first)
	var second sync.WaitGroup
	replaced, later := &connection{}, &connection{}
	replaced.between = func() { // the second connects in the middle of the replay
		second.Go(func() { stream.Connect(t.Context(), later, 0) })
		for !replaced.hasEnded() {
			time.Sleep(time.Millisecond)
		}
	}
	early := false
	later.between = func() { early = session.Listens() }
	again, after, err := session.Open(t.Context(), first.last())
	if err != nil {
		t.Fatal(err)
	}
	again.Connect(t.Context(), replaced, after)
	second.Wait()
	if early || !session.Listens() {
		t.Errorf("it listens during the replay: %t, and afterwards: %t", early, session.Listens())
	}
}

// A session that lives for days must not remember each stream that it replayed.
func TestAStreamThatWasReplayedAfterItsEndIsForgotten(t *testing.T) {
	t.Parallel()
	session, c := modern(), &connection{}
	stream := session.Begin(c)
	id := c.last()
	stream.End([]byte("the answer"))
	again, back := open(t, session, id)
	back.gets(t, "the answer")
	again.Release(back)
	forgotten := weak.Make(again)
	runtime.GC()
	if forgotten.Value() != nil {
		t.Error("the session still has it")
	}
	runtime.KeepAlive(session)
}

func TestAFailedReplayLeavesTheStreamWithoutAConnection(t *testing.T) {
	t.Parallel()
	session, first := modern(), &connection{}
	stream := session.Begin(first)
	send(t, stream, "one")
	last := strings.TrimSuffix(first.last(), "1") + "0"
	stream.Release(first)
	again, after, err := session.Open(t.Context(), last)
	if err != nil {
		t.Fatal(err)
	}
	broken := &connection{broken: true}
	again.Connect(t.Context(), broken, after)
	send(t, stream, "two") // would fail on the broken connection
	_, back := open(t, session, last)
	back.gets(t, "one", "two")
}

// The stream may end while the events that a client missed are being replayed.
func TestAnAnswerDuringAReplayEndsTheReplay(t *testing.T) {
	t.Parallel()
	session, first := modern(), &connection{}
	stream := session.Begin(first)
	stream.Release(first)
	send(t, stream, "one")
	again, after, err := session.Open(t.Context(), first.last())
	if err != nil {
		t.Fatal(err)
	}
	var answer sync.WaitGroup
	back := &connection{}
	begin := sync.OnceFunc(func() { answer.Go(func() { stream.End([]byte("the answer")) }) })
	back.between = begin
	again.Connect(t.Context(), back, after)
	answer.Wait()
	back.gets(t, "one", "the answer")
	if !back.hasEnded() {
		t.Error("the connection is open after the answer")
	}
}

func TestAHandlerDisconnectsItsClient(t *testing.T) {
	t.Parallel()
	session, first := modern(), &connection{}
	stream := session.Begin(first)
	stream.Disconnect(1500 * time.Millisecond)
	if !first.hasEnded() || first.retry != 1500*time.Millisecond {
		t.Errorf("the connection has ended (%t), with a retry of %s", first.hasEnded(), first.retry)
	}
	stream.Disconnect(time.Second) // without a connection
	send(t, stream, "meanwhile")
	_, back := open(t, session, first.last())
	stream.End([]byte("the answer"))
	first.gets(t)
	back.gets(t, "meanwhile", "the answer")
}

// Over HTTP/2, a request's connection can't end before its handler returns.
func TestAConnectionThatCannotEndKeepsTheStream(t *testing.T) {
	t.Parallel()
	session, c := modern(), &connection{stays: true}
	stream := session.Begin(c)
	stream.Disconnect(time.Second)
	send(t, stream, "one")
	c.gets(t, "one")
}

func TestAResumedConnectionThatBreaksIsEnded(t *testing.T) {
	t.Parallel()
	session, first := modern(), &connection{}
	stream := session.Begin(first)
	_, back := open(t, session, first.last())
	back.breaks()
	if err := stream.Send([]byte("one")); err == nil || !back.hasEnded() {
		t.Errorf("Send = %v, and the connection has ended: %t", err, back.hasEnded())
	}
}

func TestAMessageThatIsTooLargeToKeepLeavesTheOthers(t *testing.T) {
	bubble(t, func(t *testing.T) {
		session := modern()
		call := &connection{}
		stream := session.Begin(call)
		begin := call.last()
		send(t, stream, "one", strings.Repeat("x", limits.SessionEventBytes), "two")
		stream.Release(call)
		_, back := open(t, session, begin)
		back.gets(t, "one", "two")
	})
}
