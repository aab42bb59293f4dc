package dev_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/eventstream"
	"github.com/bowline-mcp/bowline/internal/test/gatetest"
)

// poll calls the tool poll as the request with the id in a session, and returns the id of the last event
// before the program closed the stream.
func poll(t *testing.T, url, session, id, file string) (lastEventID string) {
	t.Helper()
	response := post(t, http.DefaultClient, url, session, older(id, "tools/call", toolCall("poll", `"file":"`+file+`"`)))
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	for stream := eventstream.NewReader(bytes.NewReader(body), len(body)); ; {
		event, _, err := stream.Next()
		if err != nil {
			break
		}
		if id := event.Fields().ID; id != nil {
			lastEventID = string(id)
		}
	}
	if lastEventID == "" || strings.Contains(string(body), `"result"`) {
		t.Fatalf("the call gets %q, want a stream to resume", body)
	}
	return lastEventID
}

// resume reads the messages of a stream after an event.
func resume(t *testing.T, url, session, lastEventID string) <-chan string {
	t.Helper()
	return listen(t, reconnect(t.Context(), t, url, session, lastEventID))
}

// A call whose stream is closed runs on, also across a switch. The client gets its answer from the
// program in which it began.
func TestAClientResumesTheStreamOfACallAfterASwitch(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	url := a.serve()
	session := initialize(t, url)
	file := filepath.Join(a.root, "go-on")
	last := poll(t, url, session, "1", file)
	a.greet("two")
	a.awaitLog("mcp: reloaded", 1)
	contains(t, text(t, url, session, older("2", "tools/call", toolCall("greet", ""))), `"text":"two"`)
	resumed := resume(t, url, session, last)
	if strings.Contains(a.log.String(), "poll") {
		t.Error("the call that still runs is logged")
	}
	a.write("go-on", "")
	contains(t, next(t, resumed), `"id":1`, `"text":"one"`)
	if message, more := <-resumed; more {
		t.Errorf("the stream goes on after the answer with %s", message)
	}
	a.awaitLog(" ms  ok", 2)
	contains(t, a.log.String(), "poll                      older/1 ")
}

// The connection of a client may break. The client resumes the stream as often as it has to.
func TestAClientResumesAStreamTwice(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	url := a.serve()
	session := initialize(t, url)
	file := filepath.Join(a.root, "go-on")
	last := poll(t, url, session, "1", file)
	a.greet("two")
	a.awaitLog("mcp: reloaded", 1)
	ctx, cancel := context.WithCancel(t.Context())
	response := reconnect(ctx, t, url, session, last)
	last = firstEvent(t, response)
	cancel()
	_ = response.Body.Close()
	response = reconnect(t.Context(), t, url, session, last)
	firstEvent(t, response) // an answer before that may get lost on the connection that breaks
	a.write("go-on", "")
	contains(t, next(t, listen(t, response)), `"id":1`, `"text":"one"`)
}

// firstEvent returns the id of the first event of a resumed stream. The body has the rest of the stream.
func firstEvent(t *testing.T, response *http.Response) (id string) {
	t.Helper()
	body := bufio.NewReader(response.Body)
	response.Body = struct {
		io.Reader
		io.Closer
	}{body, response.Body}
	event, _, err := eventstream.NewReader(body, 1<<20).Next()
	fields := event.Fields()
	if err != nil || fields.ID == nil || len(fields.Data) > 0 {
		t.Fatalf("the resumed stream begins with %q, %v", event, err)
	}
	return string(fields.ID)
}

// A program that ends leaves no client waiting for an answer.
func TestAResumedStreamTellsThatTheProgramHasEnded(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	url := a.serve()
	session := initialize(t, url)
	last := poll(t, url, session, "1", filepath.Join(a.root, "never"))
	text(t, url, session, older("2", "tools/call", toolCall("exit", "")))
	a.greet("two") // a program that ends soon after its start isn't started again
	a.awaitLog("mcp: reloaded", 1)
	resumed := resume(t, url, session, last)
	contains(t, next(t, resumed), `"id":1`, `"error"`, "the program ended before it answered")
	a.awaitLog("failed: the program ended before it answered", 2)
	if message, more := <-resumed; more {
		t.Errorf("the stream goes on with %s", message)
	}
}

// A program that ends in the middle of a stream doesn't leave it without the answer.
func TestAStreamEndsWithAnErrorIfItsProgramEnds(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	url := a.serve()
	session := initialize(t, url)
	asking := listen(t, post(t, http.DefaultClient, url, session, older("1", "tools/call", toolCall("ask", ""))))
	contains(t, next(t, asking), "elicitation/create")
	text(t, url, session, older("2", "tools/call", toolCall("exit", "")))
	contains(t, next(t, asking), `"id":1`, `"error"`, "the program ended before it answered")
	a.awaitLog("failed: the program ended before it answered", 2)
}

// A call that its client has cancelled keeps no program.
func TestACancelledCallIsNotResumed(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	url := a.serve()
	session := initialize(t, url)
	last := poll(t, url, session, "1", filepath.Join(a.root, "never"))
	a.greet("two")
	a.awaitLog("mcp: reloaded", 1)
	text(t, url, session, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	a.awaitLog("  canceled", 1)
	a.awaitFile("stopped")
	stream := resume(t, url, session, last) // the stream of the call has ended, so this one listens
	a.greet("three")
	contains(t, next(t, stream), "notifications/tools/list_changed")
}

// The program closes the connection of a stream that a handler has closed. Requests that follow
// immediately don't get lost on it.
func TestARequestAfterAClosedStreamIsAnswered(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	url := a.serve()
	session := initialize(t, url)
	a.write("go-on", "")
	rounds := 10
	if gatetest.Nightly() {
		rounds = 200
	}
	for range rounds {
		last := poll(t, url, session, "1", filepath.Join(a.root, "go-on"))
		contains(t, text(t, url, session, older("2", "tools/call", toolCall("greet", ""))), `"id":2`, `"text":"one"`)
		contains(t, next(t, resume(t, url, session, last)), `"id":1`, `"text":"one"`)
		if t.Failed() {
			return
		}
	}
}
