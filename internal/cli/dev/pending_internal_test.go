package dev

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// An openCall is a call in a session whose program has closed the stream of the answer.
type openCall struct {
	*testing.T
	proxy   *proxy
	program *program
	logged  interface{ String() string }
	session string
	answer  chan struct{} // lets the program answer, once the client has resumed the stream
}

// leave begins a session, and leaves the stream of a call.
func leave(t *testing.T) *openCall {
	t.Helper()
	l := &openCall{T: t, answer: make(chan struct{})}
	l.program = serving(t, 1, func(w http.ResponseWriter, r *http.Request) {
		message, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		switch {
		case strings.Contains(string(message), `"initialize"`):
			w.Header().Set("Mcp-Session-Id", "s")
			_, _ = io.WriteString(w, "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n")
		case r.Method == http.MethodPost:
			_, _ = io.WriteString(w, "id: 5\ndata:\n\n")
		case r.Method == http.MethodDelete:
			w.WriteHeader(http.StatusNoContent)
		case r.Header.Get("Last-Event-Id") != "5":
			t.Errorf("the program gets the event %q", r.Header.Get("Last-Event-Id"))
		default:
			flush(w)
			select {
			case <-l.answer:
				_, _ = io.WriteString(w, "id: 6\ndata: {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n\n")
			case <-r.Context().Done():
			}
		}
	})
	x, logged := proxyFor(t, l.program)
	l.proxy, l.logged = x, logged
	l.session = roundTrip(x, postRequest(t.Context(), "", initialize)).Header().Get("Mcp-Session-Id")
	got := roundTrip(x, postRequest(t.Context(), l.session, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"poll"}}`))
	if !strings.Contains(got.Body.String(), "id: 1:5\n") {
		t.Fatalf("the call gets %s", got.Body)
	}
	return l
}

// resume opens the stream of the answer again. The channel receives what the client gets.
func (l *openCall) resume() (got <-chan string) {
	body := make(chan string, 1)
	go func() { body <- roundTrip(l.proxy, streamRequest(l.Context(), l.session, "1:5")).Body.String() }()
	return body
}

// answers lets the program answer, and checks that the client gets the result.
func (l *openCall) answers(got <-chan string) {
	l.Helper()
	close(l.answer)
	if answer := <-got; !strings.Contains(answer, `"id":2,"result"`) {
		l.Errorf("the client gets %q", answer)
	}
	l.await(0, "ok")
}

// await waits for a while, and then for a line about the call with an outcome. An empty outcome stands
// for a call that runs on.
func (l *openCall) await(while time.Duration, outcome string) {
	l.Helper()
	time.Sleep(while)
	synctest.Wait()
	l.proxy.lock.Lock()
	defer l.proxy.lock.Unlock()
	switch {
	case outcome != "" && (!strings.HasSuffix(l.logged.String(), " ms  "+outcome+"\n") || l.program.running != 0):
		l.Errorf("the log has %q, want a line with %q; the program has %d requests, want none", l.logged, outcome, l.program.running)
	case outcome == "" && (l.logged.String() != "" || l.program.running == 0):
		l.Errorf("the log has %q, want no line yet; the program has %d requests", l.logged, l.program.running)
	}
}

// The program isn't kept for a client that doesn't come back.
func TestACallWhoseClientDoesNotComeBackEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := leave(t)
		l.await(resumeLimit-time.Second, "")
		l.await(2*time.Second, leftCall)
	})
}

// A replaced program serves its clients until its last call has ended.
func TestAClientResumesTheStreamOfACallInAReplacedProgram(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := leave(t)
		l.proxy.lock.Lock()
		l.program.over, l.program.stopped = true, true // there is no process to stop
		l.proxy.lock.Unlock()
		close(l.answer)
		if answer := roundTrip(l.proxy, streamRequest(t.Context(), l.session, "1:5")).Body.String(); !strings.Contains(answer, `"id":2,"result"`) {
			t.Errorf("the client gets %q", answer)
		}
		l.await(0, "ok")
	})
}

func TestAClientMayStayLongOnAStreamThatItHasResumed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := leave(t)
		time.Sleep(resumeLimit - time.Second)
		got := l.resume()
		l.await(3*resumeLimit, "")
		l.answers(got)
	})
}

// Each time that its connection ends, a client has the whole time to come back.
func TestAClientMayLeaveAStreamThatItHasResumed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := leave(t)
		for range 2 {
			time.Sleep(resumeLimit - time.Second)
			ctx, cancel := context.WithCancel(t.Context())
			go roundTrip(l.proxy, streamRequest(ctx, l.session, "1:5"))
			synctest.Wait()
			cancel()
			synctest.Wait()
		}
		l.await(resumeLimit-time.Second, "")
		l.await(2*time.Second, leftCall)
	})
}

// A client may resume a stream before mcp dev knows that its connection is broken.
func TestTheEndOfABrokenConnectionLeavesTheNextOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := leave(t)
		broken, end := context.WithCancel(t.Context())
		go roundTrip(l.proxy, streamRequest(broken, l.session, "1:5"))
		synctest.Wait()
		got := l.resume()
		synctest.Wait()
		end()
		l.await(3*resumeLimit, "")
		l.answers(got)
	})
}

func TestACallThatItsClientCancelsKeepsNoProgram(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := leave(t)
		roundTrip(l.proxy, postRequest(t.Context(), l.session, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`))
		l.await(0, cancelledCall)
	})
}

// The end of a session ends its calls, for which nobody comes back.
func TestACallEndsWithItsSession(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := leave(t)
		end := postRequest(t.Context(), l.session, "")
		end.Method = http.MethodDelete
		roundTrip(l.proxy, end)
		l.await(0, leftCall)
	})
}

// Nothing waits for clients while mcp dev stops.
func TestNoCallIsKeptAtTheEnd(t *testing.T) {
	t.Parallel()
	x, _ := proxyFor(t, nil)
	x.closed = true
	if p := refusing(1); x.keep(&pending{program: p}) || p.running != 0 {
		t.Errorf("the program has %d requests", p.running)
	}
}
