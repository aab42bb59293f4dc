package proxy

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/internal/cli/dev/programs"
)

// An openCall is a call in a session whose program has closed the stream of the answer.
type openCall struct {
	*testing.T
	proxy   *Proxy
	program *program
	logged  interface{ String() string }
	session string
	answer  chan struct{} // lets the program answer, once the client has resumed the stream
}

// leave begins a session, and leaves the stream of a call.
func leave(t *testing.T) *openCall {
	t.Helper()
	l := connected(t)
	if got := roundTrip(l.proxy, l.call(t.Context(), "poll")); !strings.Contains(got.Body.String(), "id: h-7-5\n") {
		t.Fatalf("the call gets %s", got.Body)
	}
	return l
}

// connected begins a session. Its program closes the stream of the tool poll.
func connected(t *testing.T) *openCall {
	t.Helper()
	l := &openCall{T: t, answer: make(chan struct{})}
	l.proxy, l.logged = newProxy(t)
	l.program = serving(t, l.proxy, func(w http.ResponseWriter, r *http.Request) {
		message, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		switch {
		case strings.Contains(string(message), `"initialize"`):
			w.Header().Set("Mcp-Session-Id", "s")
			_, _ = io.WriteString(w, "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n")
		case r.Method == http.MethodPost:
			_, _ = io.WriteString(w, "id: h-7-5\ndata:\n\n")
			if _ = http.NewResponseController(w).Flush(); strings.Contains(string(message), "stay") {
				<-r.Context().Done()
			}
		case r.Method == http.MethodDelete:
			w.WriteHeader(http.StatusNoContent)
		case r.Header.Get("Last-Event-Id") != "h-7-5":
			t.Errorf("the program gets the event %q", r.Header.Get("Last-Event-Id"))
		default:
			_ = http.NewResponseController(w).Flush()
			select {
			case <-l.answer:
				_, _ = io.WriteString(w, "id: h-7-6\ndata: {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n\n")
			case <-r.Context().Done():
			}
		}
	})
	adopt(l.proxy, l.program)
	l.session = roundTrip(l.proxy, postRequest(t.Context(), "", initialize)).Header().Get("Mcp-Session-Id")
	return l
}

// call returns the request for a call of a tool.
func (l *openCall) call(ctx context.Context, tool string) *http.Request {
	return postRequest(ctx, l.session, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"`+tool+`"}}`)
}

// resume opens the stream of the answer again. The channel receives what the client gets.
func (l *openCall) resume() (got <-chan string) {
	body := make(chan string, 1)
	go func() { body <- roundTrip(l.proxy, streamRequest(l.Context(), l.session, "h-7-5")).Body.String() }()
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
	ends := endsNow(l.proxy, l.program)
	switch {
	case outcome != "" && (!strings.HasSuffix(l.logged.String(), " ms  "+outcome+"\n") || !ends):
		l.Errorf("the log has %q, want a line with %q; the program has no requests: %t", l.logged, outcome, ends)
	case outcome == "" && (l.logged.String() != "" || ends):
		l.Errorf("the log has %q, want no line yet; the program has no requests: %t", l.logged, ends)
	}
}

// The program isn't kept for a client that doesn't come back.
func TestACallWhoseClientDoesNotComeBackEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := leave(t)
		l.await(programs.ResumeLimit-2*time.Second, "")
		l.await(3*time.Second, "no answer: the client left")
	})
}

// A replaced program serves its clients until its last call has ended.
func TestAClientResumesTheStreamOfACallInAReplacedProgram(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := leave(t)
		l.proxy.Retire(l.program)
		close(l.answer)
		if answer := roundTrip(l.proxy, streamRequest(t.Context(), l.session, "h-7-5")).Body.String(); !strings.Contains(answer, `"id":2,"result"`) {
			t.Errorf("the client gets %q", answer)
		}
		l.await(0, "ok")
	})
}

func TestAClientMayStayLongOnAStreamThatItHasResumed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := leave(t)
		time.Sleep(programs.ResumeLimit - time.Second)
		got := l.resume()
		l.await(3*programs.ResumeLimit, "")
		l.answers(got)
	})
}

// Each time that its connection ends, a client has the whole time to come back.
func TestAClientMayLeaveAStreamThatItHasResumed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := leave(t)
		for range 2 {
			time.Sleep(programs.ResumeLimit - time.Second)
			ctx, cancel := context.WithCancel(t.Context())
			go roundTrip(l.proxy, streamRequest(ctx, l.session, "h-7-5"))
			synctest.Wait()
			cancel()
			synctest.Wait()
		}
		l.await(programs.ResumeLimit-2*time.Second, "")
		l.await(3*time.Second, "no answer: the client left")
	})
}

// A client may resume a stream before mcp dev knows that its connection is broken.
func TestTheEndOfABrokenConnectionLeavesTheNextOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := leave(t)
		broken, end := context.WithCancel(t.Context())
		go roundTrip(l.proxy, streamRequest(broken, l.session, "h-7-5"))
		synctest.Wait()
		got := l.resume()
		synctest.Wait()
		end()
		l.await(3*programs.ResumeLimit, "")
		l.answers(got)
	})
}

// That holds for the connection of the call too, also in a program that another one has replaced.
func TestTheEndOfTheConnectionOfACallLeavesTheOneThatResumesItsStream(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := connected(t)
		broken, end := context.WithCancel(t.Context())
		go roundTrip(l.proxy, l.call(broken, "stay"))
		synctest.Wait()
		got := l.resume()
		synctest.Wait()
		l.proxy.Retire(l.program)
		end()
		l.await(3*programs.ResumeLimit, "")
		l.answers(got)
	})
}

func TestACallThatItsClientCancelsKeepsNoProgram(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := leave(t)
		roundTrip(l.proxy, postRequest(t.Context(), l.session, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`))
		l.await(0, "canceled")
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
		l.await(0, "no answer: the client left")
	})
}

// Nothing waits for clients while mcp dev stops.
func TestNoCallIsKeptAtTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := leave(t)
		l.proxy.Close()
		l.await(0, "no answer: the client left")
		l = connected(t)
		broken, end := context.WithCancel(t.Context())
		go roundTrip(l.proxy, l.call(broken, "stay"))
		synctest.Wait()
		l.proxy.Close()
		end()
		l.await(0, "no answer: the client left")
	})
}
