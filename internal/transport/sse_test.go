package transport_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/internal/transport"
)

// overSSE returns the two endpoints of HTTP with SSE.
func (s *server) overSSE(limit int) http.Handler {
	sse := transport.NewSSE(transport.NewHTTP(s.core, s.older, s.limits, s.logger), limit)
	mux := http.NewServeMux()
	mux.HandleFunc("/a/mcp"+transport.EventsPath, sse.Events)
	mux.HandleFunc("/a/mcp"+transport.MessagesPath, sse.Messages)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mux.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), userKey{}, r.Header.Get("User"))))
	})
}

func events() *http.Request {
	return with(httptest.NewRequest(http.MethodGet, "http://127.0.0.1/a/mcp/sse", nil), "Accept", "text/event-stream")
}

// endpoint returns where the messages of a stream go.
func (r *response) endpoint(t *testing.T) string {
	t.Helper()
	time.Sleep(time.Millisecond)
	synctest.Wait()
	r.lock.Lock()
	defer r.lock.Unlock()
	_, path, ok := strings.Cut(r.text.String(), "event: endpoint\ndata: ")
	if !ok {
		t.Fatalf("the stream begins with %d %s", r.status, r.text.String())
	}
	r.read = r.text.Len()
	return strings.TrimSpace(path)
}

// message returns a request that carries a message to an endpoint.
func message(endpoint, text string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1"+endpoint, strings.NewReader(text))
	r.Header.Set("Content-Type", "application/json")
	return r
}

func TestAnswersComeOnTheStreamOfEvents(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newServer(t)
		h := s.overSSE(10)
		stream := start(t, h, events())
		endpoint := stream.endpoint(t)
		if !strings.HasPrefix(endpoint, "/a/mcp/messages?sessionId=") {
			t.Errorf("messages go to %s", endpoint)
		}
		expect(t, h, message(endpoint, old(`1`, "hello")), http.StatusAccepted, "")
		time.Sleep(time.Millisecond)
		stream.gets(t, "the answer", "event: message\ndata: ", `"id":1,"result"`)
		expect(t, h, message(endpoint, modern(`2`, "hello")), http.StatusAccepted, "")
		time.Sleep(time.Millisecond)
		stream.gets(t, "a modern message", "is not spoken over HTTP with SSE")
		expect(t, h, message(endpoint, old(`3`, "wait")), http.StatusAccepted, "")
		<-s.begun
		stream.hangUp()
		if err := <-s.ended; err == nil || !stream.over() {
			t.Errorf("the call ends with %v, and the stream goes on: %t", err, !stream.over())
		}
		expect(t, h, message(endpoint, old(`1`, "hello")), http.StatusNotFound, "GET a new stream")
	})
}

func TestRequestsOfHTTPWithSSEAreChecked(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newServer(t)
		s.limits.Throttle = func(r *http.Request) time.Duration {
			if r.Header.Get("User") == "too often" {
				return time.Second
			}
			return 0
		}
		h := s.overSSE(1)
		stream := start(t, h, with(events(), "User", "ada"))
		endpoint := stream.endpoint(t)
		expect(t, h, with(message(endpoint, old(`1`, "hello")), "User", "eve"), http.StatusNotFound, "")
		expect(t, h, with(message(endpoint, old(`1`, "hello")), "User", "too often"), http.StatusTooManyRequests, "")
		expect(t, h, with(message(endpoint, old(`1`, "hello")), "Content-Type", "text/plain"), http.StatusUnsupportedMediaType, "")
		expect(t, h, with(message(endpoint, strings.Repeat("x", 17<<10)), "User", "ada"), http.StatusRequestEntityTooLarge, "")
		expect(t, h, httptest.NewRequest(http.MethodGet, "http://127.0.0.1"+endpoint, nil), http.StatusMethodNotAllowed, "takes POST")
		expect(t, h, with(events(), "User", "too often"), http.StatusTooManyRequests, "")
		expect(t, h, with(events(), "Accept", "application/json"), http.StatusNotAcceptable, "")
		expect(t, h, httptest.NewRequest(http.MethodPost, "http://127.0.0.1/a/mcp/sse", nil), http.StatusMethodNotAllowed, "GET it")
		if w := expect(t, h, events(), http.StatusServiceUnavailable, "1 streams open"); w.Header().Get("Retry-After") == "" {
			t.Error("the client isn't told when to come again")
		}
		s.drain()
		if !stream.over() {
			t.Error("the stream goes on when the program stops")
		}
		expect(t, h, events(), http.StatusServiceUnavailable, "")
	})
}

func TestAStreamOfEventsThatNobodyReadsIsClosed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newServer(t)
		h := s.overSSE(10)
		stream := start(t, h, with(events(), "User", "ada"))
		endpoint := stream.endpoint(t)
		stream.stopsReading()
		expect(t, h, with(message(endpoint, old(`1`, "hello")), "User", "ada"), http.StatusAccepted, "")
		time.Sleep(time.Minute)
		if !stream.over() {
			t.Error("the stream goes on")
		}
		for _, line := range s.log.lines() {
			if !strings.HasSuffix(line, "user=ada") {
				t.Errorf("the log has the line\n%s\nwithout what the context of its request has", line)
			}
		}
		if !s.log.has("writing an answer") {
			t.Error("the log doesn't say that an answer is lost")
		}
	})
}
