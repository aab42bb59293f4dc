package transport_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/internal/engine/transport"
	"github.com/bowline-mcp/bowline/internal/engine/transport/transporttest"
)

// overSSE returns the two endpoints of HTTP with SSE.
func (s *server) overSSE(limit int) http.Handler {
	sse := transport.NewSSE(transport.NewHTTP(s.Core, s.older, s.Limits, s.Core.Server().Logger), limit, "")
	mux := http.NewServeMux()
	mux.HandleFunc("/a/mcp"+transport.EventsPath, sse.Events)
	mux.HandleFunc("/a/mcp"+transport.MessagesPath, sse.Messages)
	return transporttest.ByUser(mux)
}

func events() *http.Request {
	return with(httptest.NewRequest(http.MethodGet, "http://127.0.0.1/a/mcp/sse", nil), "Accept", "text/event-stream")
}

// open opens a stream of events, and returns the endpoint for messages.
func open(t *testing.T, h http.Handler, r *http.Request) (stream *transporttest.Response, endpoint string) {
	t.Helper()
	stream = transporttest.Start(t, h, r)
	time.Sleep(time.Millisecond)
	news := stream.News()
	_, path, ok := strings.Cut(news, "event: endpoint\ndata: ")
	if !ok {
		t.Fatalf("the stream begins with %d %s", stream.Status, news)
	}
	return stream, strings.TrimSpace(path)
}

// message returns a request that carries a message to an endpoint.
func message(endpoint, text string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1"+endpoint, strings.NewReader(text))
	r.Header.Set("Content-Type", "application/json")
	return r
}

func TestAnswersArriveOnTheEventStream(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s := newServer(t)
		h := s.overSSE(10)
		stream, endpoint := open(t, h, events())
		if !strings.HasPrefix(endpoint, "/a/mcp/messages?sessionId=") {
			t.Errorf("messages go to %s", endpoint)
		}
		expect(t, h, message(endpoint, old(`1`, "hello")), http.StatusAccepted, "")
		time.Sleep(time.Millisecond)
		stream.Gets(t, "the answer", "event: message\ndata: ", `"id":1,"result"`)
		expect(t, h, message(endpoint, modern(`2`, "hello")), http.StatusAccepted, "")
		time.Sleep(time.Millisecond)
		stream.Gets(t, "a modern message", "is not supported over HTTP with SSE")
		expect(t, h, message(endpoint, old(`3`, "wait")), http.StatusAccepted, "")
		<-s.Begun
		stream.HangUp()
		if err := <-s.Ended; err == nil || !stream.Over() {
			t.Errorf("the call ends with %v, and the stream continues: %t", err, !stream.Over())
		}
		expect(t, h, message(endpoint, old(`1`, "hello")), http.StatusNotFound, "GET a new stream")
	})
}

func TestAnAnswerOverHTTPWithSSEIsNotInAChunkWithTheNotificationsBeforeIt(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s := newServer(t)
		h := s.overSSE(10)
		stream, endpoint := open(t, h, events())
		expect(t, h, message(endpoint, old(`1`, "talk")), http.StatusAccepted, "")
		s.talk("one", "two", "three")
		hasAnswerAlone(t, "the client", stream)
		stream.HangUp()
	})
}

func TestRequestsOfHTTPWithSSEAreChecked(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s := newServer(t)
		s.Limits.Throttle = func(r *http.Request, n int) time.Duration {
			if r.Header.Get("User") == "too often" || n == 2 {
				return time.Second
			}
			if n > 2 {
				return -1
			}
			return 0
		}
		h := s.overSSE(1)
		stream, endpoint := open(t, h, with(events(), "User", "ada"))
		expect(t, h, with(message(endpoint, old(`1`, "hello")), "User", "eve"), http.StatusNotFound, "")
		expect(t, h, with(message(endpoint, old(`1`, "hello")), "User", "too often"), http.StatusTooManyRequests, "")
		hello := old(`1`, "hello")
		expect(t, h, with(message(endpoint, "["+hello+","+hello+"]"), "User", "ada"), http.StatusTooManyRequests, "")
		expect(t, h, with(message(endpoint, "["+hello+","+hello+","+hello+"]"), "User", "ada"), http.StatusBadRequest, "has 3 messages")
		expect(t, h, with(message(endpoint, old(`1`, "hello")), "Content-Type", "text/plain"), http.StatusUnsupportedMediaType, "")
		expect(t, h, with(message(endpoint, strings.Repeat("x", 17<<10)), "User", "ada"), http.StatusRequestEntityTooLarge, "")
		expect(t, h, httptest.NewRequest(http.MethodGet, "http://127.0.0.1"+endpoint, nil), http.StatusMethodNotAllowed, "takes POST")
		expect(t, h, with(events(), "User", "too often"), http.StatusTooManyRequests, "")
		expect(t, h, with(events(), "Accept", "application/json"), http.StatusNotAcceptable, "")
		expect(t, h, httptest.NewRequest(http.MethodPost, "http://127.0.0.1/a/mcp/sse", nil), http.StatusMethodNotAllowed, "GET it")
		if w := expect(t, h, events(), http.StatusServiceUnavailable, "1 streams open"); w.Header().Get("Retry-After") == "" {
			t.Error("the client doesn't learn when to retry")
		}
		s.Drain()
		if !stream.Over() {
			t.Error("the stream continues when the program stops")
		}
		expect(t, h, events(), http.StatusServiceUnavailable, "")
	})
}

func TestAnUnreadEventStreamIsClosed(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s := newServer(t)
		h := s.overSSE(10)
		stream, endpoint := open(t, h, with(events(), "User", "ada"))
		stream.StopsReading()
		expect(t, h, with(message(endpoint, old(`1`, "hello")), "User", "ada"), http.StatusAccepted, "")
		time.Sleep(time.Minute)
		if !stream.Over() {
			t.Error("the stream continues")
		}
		for line := range strings.Lines(s.Log.String()) {
			if !strings.HasSuffix(line, "principal=ada\n") {
				t.Errorf("the log has the line\n%s\nwithout the principal of the request", line)
			}
		}
		if !s.logs("writing an answer") {
			t.Error("the log doesn't say that an answer is lost")
		}
	})
}
