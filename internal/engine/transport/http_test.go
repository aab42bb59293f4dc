package transport_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/internal/engine/transport"
	"github.com/bowline-mcp/bowline/internal/limits"
)

func TestAnAnswerIsJSONWithItsLength(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	served := web(t, s.handler())
	served.Start()
	lengths := map[int]bool{}
	for _, id := range []string{`1`, `11`} {
		for size := range 1100 {
			message := strings.Replace(modern(id, "hello"), `"arguments":{}`, `"arguments":{"x":"`+strings.Repeat("x", size)+`"}`, 1)
			response, body := whole(t, served, message)
			if response.ContentLength != int64(len(body)) || response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != "application/json" {
				t.Fatalf("an answer of %d bytes has the length %d and the headers %v", len(body), response.ContentLength, response.Header)
			}
			lengths[len(body)] = true
		}
	}
	if !lengths[2<<10] || !lengths[2<<10+1] { // net/http adds the length up to there
		t.Error("no answer has 2 KiB, or none has one byte more")
	}
	if response, body := whole(t, served, old(`1`, "hello")); response.ContentLength != int64(len(body)) {
		t.Errorf("an older client's answer has the headers %v", response.Header)
	}
	expect(t, s.handler(), post(strings.Replace(modern(`1`, "hello"), `"id":1,"method":"tools/call"`, `"method":"notifications/x"`, 1)), http.StatusAccepted, "")
}

func TestATimeoutAnswerIsCompleteBeforeTheHandlerReturns(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.Core.Server().Timeout = 10 * time.Millisecond
	served := web(t, s.handler())
	served.Start()
	t.Cleanup(func() { close(s.Free) })
	if response, body := whole(t, served, modern(`1`, "stubborn")); response.ContentLength != int64(len(body)) || !strings.Contains(body, "timed out") {
		t.Errorf("the answer is %s, with the headers %v", body, response.Header)
	}
}

// deadlines records the read deadline of its connection.
type deadlines struct {
	*httptest.ResponseRecorder
	read time.Time
}

func (d *deadlines) SetReadDeadline(deadline time.Time) error {
	d.read = deadline
	return nil
}

func TestTheRestOfAFailedBodyHasLittleTime(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.Limits.BodyTime = time.Hour
	r := post(modern(`1`, "hello"))
	r.Body = io.NopCloser(failing{}) // middleware may wrap the body
	w := &deadlines{ResponseRecorder: httptest.NewRecorder()}
	s.handler().ServeHTTP(w, r)
	if left := time.Until(w.read); w.Code != http.StatusBadRequest || left <= 0 || left > limits.UnreadBodyTimeout {
		t.Errorf("the answer has the status %d, and the rest of the body may take %v", w.Code, left)
	}
}

func TestInvalidRequestsAreRefused(t *testing.T) {
	t.Parallel()
	h := newServer(t).handler()
	message := modern(`1`, "hello")
	for what, test := range map[string]struct {
		request *http.Request
		status  int
	}{
		"text":                 {with(post(message), "Content-Type", "text/plain"), http.StatusUnsupportedMediaType},
		"no type":              {with(post(message), "Content-Type", ""), http.StatusUnsupportedMediaType},
		"another charset":      {with(post(message), "Content-Type", "application/json; charset=latin1"), http.StatusUnsupportedMediaType},
		"compressed":           {with(post(message), "Content-Encoding", "gzip"), http.StatusUnsupportedMediaType},
		"not compressed":       {with(post(message), "Content-Encoding", "identity"), http.StatusOK},
		"the usual charset":    {with(post(message), "Content-Type", `application/json; charset="UTF-8"`), http.StatusOK},
		"accepts HTML":         {with(post(message), "Accept", "text/html"), http.StatusNotAcceptable},
		"accepts nothing":      {with(post(message), "Accept", "application/json;q=0.0, text/event-stream; q=0"), http.StatusNotAcceptable},
		"accepts all":          {with(post(message), "Accept", "*/*"), http.StatusOK},
		"accepts applications": {with(post(message), "Accept", "application/*"), http.StatusOK},
		"no JSON":              {post(`{`), http.StatusBadRequest},
		"no modern JSON":       {with(post(`{`), "Mcp-Protocol-Version", "2026-07-28"), http.StatusBadRequest},
		"a modern claim alone": {with(post(old(`1`, "hello")), "Mcp-Protocol-Version", "2026-07-28"), http.StatusBadRequest},
		"another method":       {with(post(message), "Mcp-Method", "tools/list"), http.StatusBadRequest},
		"a body too large":     {post(strings.Repeat("x", 17<<10)), http.StatusRequestEntityTooLarge},
		"PUT":                  {httptest.NewRequest(http.MethodPut, "http://127.0.0.1/mcp", nil), http.StatusMethodNotAllowed},
		"a modern GET":         {with(httptest.NewRequest(http.MethodGet, "http://127.0.0.1/mcp", nil), "Mcp-Protocol-Version", "2026-07-28"), http.StatusMethodNotAllowed},
		"a modern DELETE":      {with(httptest.NewRequest(http.MethodDelete, "http://127.0.0.1/mcp", nil), "Mcp-Protocol-Version", "2026-07-28"), http.StatusMethodNotAllowed},
		"an older DELETE":      {httptest.NewRequest(http.MethodDelete, "http://127.0.0.1/mcp", nil), http.StatusNoContent},
	} {
		w := do(h, test.request)
		if w.Code != test.status {
			t.Errorf("%s gets %d %s, want %d", what, w.Code, w.Body, test.status)
		}
		if w.Code == http.StatusMethodNotAllowed && w.Header().Get("Allow") != "POST" {
			t.Errorf("%s doesn't get the allowed methods: %v", what, w.Header())
		}
	}
	chunked := post("")
	chunked.Body, chunked.ContentLength = io.NopCloser(strings.NewReader(strings.Repeat("x", 17<<10))), -1
	expect(t, h, chunked, http.StatusRequestEntityTooLarge, "larger than 16384 bytes")
	broken := post("")
	broken.Body = io.NopCloser(io.MultiReader(strings.NewReader("{"), failing{}))
	expect(t, h, broken, http.StatusBadRequest, "could not be read to its end")
}

// failing is a body that fails.
type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("broken") }

func TestAServerWithoutLegacyRefusesOlderClients(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	h := transport.NewHTTP(s.Core, nil, s.Limits, s.Core.Server().Logger)
	expect(t, h, post(modern(`1`, "hello")), http.StatusOK, "structuredContent")
	expect(t, h, post(old(`1`, "hello")), http.StatusBadRequest, "which have no handshake")
	expect(t, h, post(`{`), http.StatusBadRequest, "-32700")
	expect(t, h, httptest.NewRequest(http.MethodGet, "http://127.0.0.1/mcp", nil), http.StatusMethodNotAllowed, "")
	expect(t, h, httptest.NewRequest(http.MethodDelete, "http://127.0.0.1/mcp", nil), http.StatusMethodNotAllowed, "")
}

func TestAThrottledClientLearnsWhenToRetry(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.Limits.Throttle = func(r *http.Request, _ int) time.Duration {
		if r.Header.Get("User") == "ada" {
			return 7 * time.Second
		}
		return 0
	}
	h := s.handler()
	expect(t, h, post(modern(`1`, "hello")), http.StatusOK, "")
	if w := expect(t, h, with(post(modern(`1`, "hello")), "User", "ada"), http.StatusTooManyRequests, "again in 7 s"); w.Header().Get("Retry-After") != "7" {
		t.Errorf("the headers are %v", w.Header())
	}
}
