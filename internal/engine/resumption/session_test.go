package resumption_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/bowline-mcp/bowline/internal/engine/resumption"
	"github.com/bowline-mcp/bowline/internal/engine/throttle"
	"github.com/bowline-mcp/bowline/internal/limits"
)

func TestEventIDsOfOtherSessionsAreUnknown(t *testing.T) {
	t.Parallel()
	store := &resumption.Memory{}
	mine, other := resumption.NewSession(store, "mine", throttle.Key{}, true), resumption.NewSession(store, "other", throttle.Key{}, true)
	refuses(t, other, "-1-0", resumption.ErrUnknownEvent) // before its first stream
	secret, c := &connection{}, &connection{}
	send(t, mine.Begin(secret), "a secret")
	send(t, other.Begin(c), "one")
	id := c.last()
	parts := strings.Split(id, "-")
	key, stream := parts[0], parts[1]
	event := func(stream, event string) string { return key + "-" + stream + "-" + event }
	for _, foreign := range []string{
		secret.last(), strings.TrimSuffix(secret.last(), "1") + "0", "-" + stream + "-0", stream + "-0", "0", "-", "--", id + "0", id + "-1", strings.ToLower(id), " " + id, id + "x",
		event("1", "1"), event("0", "1"), event(stream, "18446744073709551616"), event(stream, "+1"), event("-"+stream, "1"), strings.Repeat("a", 60_000),
	} {
		refuses(t, other, foreign, resumption.ErrUnknownEvent)
	}
}

// says returns a message for Deliver that doesn't depend on the request.
func says(text string) func(context.Context) []byte {
	return func(context.Context) []byte { return []byte(text) }
}

func TestDeliverUsesOneOfTheListeningStreams(t *testing.T) {
	t.Parallel()
	session := modern()
	if session.Listens() || session.Deliver(says("too early")) {
		t.Error("a message is delivered without a stream")
	}
	call := &connection{}
	session.Begin(call)
	one, first := open(t, session, "")
	_, second := open(t, session, "")
	if !session.Listens() || !session.Deliver(says("one")) {
		t.Error("the message isn't delivered")
	}
	first.gets(t, "one")
	one.Release(first)
	session.Deliver(says("two"))
	second.gets(t, "two")
	call.gets(t)
	_, back := open(t, session, first.last())
	back.gets(t) // messages on the other stream don't belong to this one
}

// A ninth stream may replace one to which its client is about to reconnect.
func TestAReplacedStreamCanListenAgain(t *testing.T) {
	t.Parallel()
	session := modern()
	first, before := open(t, session, "")
	session.Deliver(says("one"))
	var others []*resumption.Stream
	var connections []*connection
	for range limits.SessionListeners - 1 {
		stream, c := open(t, session, "")
		others, connections = append(others, stream), append(connections, c)
	}
	again, after, err := session.Open(t.Context(), before.last())
	if err != nil || again != first {
		t.Fatalf("the client gets another stream, %v", err)
	}
	first.Release(before)
	ninth, c := open(t, session, "")
	others, connections = append(others, ninth), append(connections, c)
	back := &connection{}
	again.Connect(t.Context(), back, after)
	for i, stream := range others {
		stream.Release(connections[i])
	}
	if !session.Deliver(says("two")) {
		t.Error("nothing is delivered to the stream")
	}
	back.gets(t, "two")
}

// A client that reconnects has a stream before its connection begins.
func TestAStreamToWhichAClientReconnectsIsNotReplaced(t *testing.T) {
	t.Parallel()
	session := modern()
	stream, c := open(t, session, "")
	for range limits.SessionListeners - 1 {
		open(t, session, "")
	}
	stream.Release(c)
	if again, _, err := session.Open(t.Context(), c.last()); err != nil || again != stream {
		t.Fatalf("the client gets another stream, %v", err)
	}
	refuses(t, session, "", resumption.ErrTooManyStreams)
}

func TestAMessageMayDependOnTheRequestOfTheStream(t *testing.T) {
	t.Parallel()
	session, c := modern(), &connection{}
	type user struct{}
	ctx := context.WithValue(t.Context(), user{}, "ada")
	stream, after, err := session.Open(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	stream.Connect(ctx, c, after)
	told := session.Deliver(func(ctx context.Context) []byte { return []byte(ctx.Value(user{}).(string)) })
	hidden := session.Deliver(func(context.Context) []byte { return nil })
	if !told || !hidden {
		t.Error("a message was not delivered")
	}
	c.gets(t, "ada")
}

// A message to a client that doesn't read is kept until the client reconnects.
func TestALostMessageIsReplayed(t *testing.T) {
	t.Parallel()
	session := modern()
	_, c := open(t, session, "")
	id := c.last()
	c.breaks()
	if !session.Deliver(says("one")) || session.Listens() || !c.hasEnded() {
		t.Error("the broken connection continues")
	}
	_, back := open(t, session, id)
	back.gets(t, "one")
}

func TestAClientHasAtMostEightListeningStreams(t *testing.T) {
	t.Parallel()
	session := modern()
	streams, connections := make([]*resumption.Stream, 8), make([]*connection, 8)
	for i := range streams {
		streams[i], connections[i] = open(t, session, "")
	}
	refuses(t, session, "", resumption.ErrTooManyStreams)
	resumed, back := open(t, session, connections[0].last())
	refuses(t, session, "", resumption.ErrTooManyStreams)
	session.Deliver(says("one"))
	back.breaks()
	session.Deliver(says("two")) // doesn't arrive
	resumed.Release(back)
	open(t, session, "")
	refuses(t, session, back.last(), resumption.ErrUnknownEvent) // the abandoned stream was replaced
	refuses(t, session, "", resumption.ErrTooManyStreams)
	if stream, _, err := session.Open(t.Context(), connections[1].last()); err != nil || stream != streams[1] {
		t.Errorf("another stream gets %v", err)
	}
}

// A client that has received no event has no id from which to resume.
func TestAStreamThatCannotBeResumedIsRemoved(t *testing.T) {
	t.Parallel()
	session := resumption.NewSession(&resumption.Memory{}, "session", throttle.Key{}, false)
	for range 20 {
		stream, c := open(t, session, "")
		stream.Release(c)
	}
	stream, c := open(t, session, "")
	session.Deliver(says("one"))
	stream.Release(c)
	again, back := open(t, session, c.last())
	if again != stream || back.hasEnded() {
		t.Error("the stream that has sent an event can't be resumed")
	}
}

func TestEndListeningDoesNotEndCalls(t *testing.T) {
	bubble(t, func(t *testing.T) {
		session, call := modern(), &connection{}
		answer := session.Begin(call)
		_, c := open(t, session, "")
		session.EndListening()
		synctest.Wait()
		if !c.hasEnded() || call.hasEnded() || session.Listens() {
			t.Error("not just the stream that the client listens to has lost its connection")
		}
		send(t, answer, "one")
		call.gets(t, "one")
		_, back := open(t, session, c.last()) // another server of the program may still serve
		session.Deliver(says("two"))
		back.gets(t, "two")
	})
}

func TestTheEndOfASessionEndsItsConnections(t *testing.T) {
	bubble(t, func(t *testing.T) {
		store := &resumption.Memory{}
		session, call, broken, lost := resumption.NewSession(store, "session", throttle.Key{}, true), &connection{}, &connection{}, &connection{}
		answer, other, third := session.Begin(call), session.Begin(broken), session.Begin(lost)
		send(t, answer, "one")
		_, c := open(t, session, "")
		_, back := open(t, session, broken.last())
		send(t, other, "two")
		send(t, third, "three")
		again, after, err := session.Open(t.Context(), strings.TrimSuffix(lost.last(), "3")+"0")
		if err != nil {
			t.Fatal(err)
		}
		stuck := &connection{}
		stuck.stopsReading()
		go again.Connect(t.Context(), stuck, after)
		synctest.Wait()
		session.Close()
		synctest.Wait()
		for name, ended := range map[string]bool{"listens": c.hasEnded(), "is resumed": back.hasEnded(), "is replayed": stuck.hasEnded(), "": !call.hasEnded()} {
			if !ended {
				t.Errorf("a connection that %s is open, or that of the call has ended", name)
			}
		}
		answer.End([]byte("the answer")) // the call ignores its end
		call.gets(t, "one", "the answer")
		refuses(t, session, call.last(), resumption.ErrUnknownEvent)
		for _, c := range []*connection{call, broken, lost} {
			key, stream, _ := strings.Cut(c.last(), "-")
			stream, _, _ = strings.Cut(stream, "-")
			number, err := strconv.ParseUint(stream, 10, 64)
			kept, readErr := store.Events(t.Context(), key, number, 0)
			if err = errors.Join(err, readErr); err != nil || kept != nil {
				t.Errorf("%d events of stream %d are kept, %v", len(kept), number, err)
			}
		}
		if session.Deliver(says("three")) {
			t.Error("a message is delivered after the end")
		}
	})
}

// A GET may find its session just before the session ends.
func TestNoConnectionIsMadeAfterTheEndOfASession(t *testing.T) {
	t.Parallel()
	session, call := modern(), &connection{}
	early, after, err := session.Open(t.Context(), "")
	session.Close()
	late, _, lateErr := session.Open(t.Context(), "")
	if err = errors.Join(err, lateErr); err != nil {
		t.Fatal(err)
	}
	for _, stream := range []*resumption.Stream{early, late} {
		c := &connection{}
		if stream.Connect(t.Context(), c, after); !c.hasEnded() || len(c.ids) > 0 {
			t.Error("a stream has a connection")
		}
	}
	session.Begin(call).End([]byte("the answer")) // the client waits for it
	call.gets(t, "the answer")
}

func TestAnAnswerThatIsJustSmallEnoughIsKept(t *testing.T) {
	t.Parallel()
	session, c := modern(), &connection{}
	stream := session.Begin(c)
	answer := strings.Repeat("x", 4<<20-64)
	id := c.last()
	stream.End([]byte(answer))
	_, back := open(t, session, id)
	back.gets(t, answer)
}

func TestAnAnswerTooLargeToKeepIsReplacedByAnError(t *testing.T) {
	t.Parallel()
	session, c := modern(), &connection{}
	stream := session.Begin(c)
	send(t, stream, strings.Repeat("x", 5<<20)) // is dropped
	answer := `{"jsonrpc":"2.0","id":7,"result":{"text":"` + strings.Repeat("x", 5<<20) + `"}}`
	id := strings.TrimSuffix(c.last(), "1") + "0"
	c.got = nil
	stream.End([]byte(answer))
	c.gets(t, answer)
	_, back := open(t, session, id)
	back.gets(t, `{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"The answer is lost: it was larger than 4 MiB, too large to keep until the client reconnects; call again"}}`)
}
