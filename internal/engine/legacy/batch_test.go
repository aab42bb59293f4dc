package legacy_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/legacy"
	"github.com/bowline-mcp/bowline/internal/engine/transport/transporttest"
)

func batch(messages ...string) string { return "[" + strings.Join(messages, ",") + "]" }

func TestABatchIsAnsweredByOneArray(t *testing.T) {
	t.Parallel()
	c := newServer(t, legacy.Config{}).client(t, "2025-03-26")
	w := c.post(batch(callOf(1, "hello"), notification("notifications/initialized", `{}`), `{"jsonrpc":"2.0","id":9,"result":{}}`, requestOf(2, "ping", `{}`), `7`, batch(callOf(3, "hello"))))
	for _, want := range []string{`"id":1,"result":{"content"`, `{"jsonrpc":"2.0","id":2,"result":{}}`, `-32600`, "may not be inside another"} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("the answer %s lacks %s", w.Body, want)
		}
	}
	if n := strings.Count(w.Body.String(), `"jsonrpc"`); n != 4 || w.Body.Bytes()[0] != '[' {
		t.Errorf("there are %d answers: %s", n, w.Body)
	}
	c.expect(t, batch(notification("notifications/initialized", `{}`)), http.StatusAccepted, "")
}

func TestAnInvalidBatchIsRefused(t *testing.T) {
	t.Parallel()
	s := newServer(t, legacy.Config{})
	c := s.client(t, "2025-03-26")
	for message, part := range map[string]string{
		`[]`: "the batch is empty",
		batch(callOf(1, "hello"), callOf(1, "hi")): "the id 1 is given to two requests",
		batch(initialize("2025-03-26")):            "initialize can't be in a batch",
		batch(requestOf(1, "ping", `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`)): "states its protocol version in _meta",
	} {
		c.expect(t, message, http.StatusBadRequest, part)
	}
	var messages []string
	for i := range 101 {
		messages = append(messages, callOf(i, "hello"))
	}
	c.expect(t, batch(messages...), http.StatusBadRequest, "a batch may have 100 messages")
	s.client(t, "2025-06-18").expect(t, batch(callOf(1, "hello")), http.StatusBadRequest, "2025-06-18 has no batches")
}

func TestABatchIsAStreamIfOneOfItsCallsIs(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s := newServer(t, legacy.Config{})
		c := s.client(t, "2025-03-26")
		answer := c.follow(t, batch(callOf(1, "hello"), callOf(2, "talk")))
		s.Words <- "one"
		answer.Gets(t, "at first", `"word":"one"`)
		close(s.Words)
		answer.Gets(t, "the answers", `"id":1,"result"`, `"id":2,"result"`)
		if !answer.Over() {
			t.Error("the stream continues")
		}
	})
}

func TestEightCallsOfABatchRunAtOnce(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s := newServer(t, legacy.Config{})
		c := s.client(t, "2025-03-26")
		var messages []string
		for i := range 10 {
			messages = append(messages, callOf(i, "wait"))
		}
		answer := c.follow(t, batch(messages...))
		time.Sleep(time.Second) // calls beyond the client's share wait for a moment
		if n := len(s.Begun); n != 8 {
			t.Errorf("%d calls run, want 8", n)
		}
		c.expect(t, canceled(9), http.StatusAccepted, "") // a waiting call
		c.expect(t, canceled(0), http.StatusAccepted, "")
		time.Sleep(time.Second)
		if n := len(s.Begun); n != 9 {
			t.Errorf("%d calls have begun when one has ended, want 9", n)
		}
		for i := range 9 {
			c.expect(t, canceled(i), http.StatusAccepted, "")
		}
		if !answer.Over() || answer.News() != "" || answer.Status != http.StatusAccepted {
			t.Errorf("the batch of cancelled calls gets %d", answer.Status)
		}
	})
}

func TestNoMemberOfABatchBeginsAfterItsSessionEnded(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s := newServer(t, legacy.Config{})
		ran := false
		s.AddTool("late", func(context.Context, *call.Call) error { ran = true; return nil })
		c := s.client(t, "2025-03-26")
		var messages []string
		for i := range 8 {
			messages = append(messages, callOf(i, "wait"))
		}
		answer := c.follow(t, batch(append(messages, callOf(8, "late"), notification("notifications/initialized", `{}`))...))
		c.request(http.MethodDelete, "")
		if !answer.Over() || answer.News() != "" || ran {
			t.Errorf("a call begins (%t), or the batch is answered", ran)
		}
	})
}

func TestAnIDOfABatchMayNotBeInUse(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s := newServer(t, legacy.Config{})
		c := s.client(t, "2025-03-26")
		c.follow(t, callOf(1, "wait"))
		c.expect(t, batch(callOf(1, "hello"), callOf(2, "hello")), http.StatusOK, `"id":1,"error":{"code":-32600`)
		c.expect(t, canceled(1), http.StatusAccepted, "")
	})
}

func TestABatchHasAtMostAHundredMembers(t *testing.T) {
	t.Parallel()
	c := newServer(t, legacy.Config{}).client(t, "2025-03-26")
	var messages []string
	for i := range 100 {
		messages = append(messages, callOf(i, "hello"))
	}
	w := c.post(batch(messages...))
	for i := range messages {
		if !strings.Contains(w.Body.String(), fmt.Sprintf(`"id":%d,"result"`, i)) {
			t.Errorf("member %d has no answer", i)
		}
	}
}
