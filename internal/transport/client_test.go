package transport_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/internal/transport"
)

// bubble runs a test in which goroutines and time can be waited for.
func bubble(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, test)
}

// handler returns the server over HTTP, in both eras.
func (s *server) handler() http.Handler {
	return transport.NewHTTP(s.core, s.older, s.limits, s.logger)
}

// post returns a request that carries a message.
func post(message string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1/mcp", strings.NewReader(message))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if strings.Contains(message, "2026-07-28") {
		r.Header.Set("Mcp-Protocol-Version", "2026-07-28")
		_, method, _ := strings.Cut(message, `"method":"`)
		method, _, _ = strings.Cut(method, `"`)
		r.Header.Set("Mcp-Method", method)
		if _, name, ok := strings.Cut(message, `"params":{"name":"`); ok {
			name, _, _ = strings.Cut(name, `"`)
			r.Header.Set("Mcp-Name", name)
		}
	}
	return r
}

// with sets a header of a request.
func with(r *http.Request, name, value string) *http.Request {
	r.Header.Set(name, value)
	return r
}

func do(handler http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w
}

// expect checks the status and part of the answer.
func expect(t *testing.T, handler http.Handler, r *http.Request, status int, part string) *httptest.ResponseRecorder {
	t.Helper()
	w := do(handler, r)
	if w.Code != status || !strings.Contains(w.Body.String(), part) {
		t.Errorf("%s gets %d %v %.300s, want %d %s", r.Method, w.Code, w.Header(), w.Body, status, part)
	}
	return w
}

// A response is an http.ResponseWriter that a client reads while it is written.
type response struct {
	hangUp context.CancelFunc
	done   chan struct{} // closed when the handler has returned

	lock    sync.Mutex
	header  http.Header
	status  int
	text    bytes.Buffer
	read    int // bytes of the text
	stuck   bool
	expires time.Time // the deadline of a write
}

func (r *response) Header() http.Header    { return r.header }
func (r *response) WriteHeader(status int) { r.status = status }
func (r *response) FlushError() error      { return nil }

func (r *response) SetWriteDeadline(deadline time.Time) error {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.expires = deadline
	return nil
}

func (r *response) Write(data []byte) (int, error) {
	r.lock.Lock()
	stuck, left := r.stuck, time.Until(r.expires)
	r.lock.Unlock()
	if stuck {
		time.Sleep(left)
		r.hangUp() // as net/http does
		return 0, os.ErrDeadlineExceeded
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	return r.text.Write(data)
}

// stopsReading makes each write wait for its deadline.
func (r *response) stopsReading() {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.stuck = true
}

func (r *response) over() bool {
	synctest.Wait()
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// gets checks parts of what was sent since the last time, in order. Without any, nothing
// may have been sent.
func (r *response) gets(t *testing.T, what string, want ...string) {
	t.Helper()
	synctest.Wait()
	r.lock.Lock()
	defer r.lock.Unlock()
	news := r.text.String()[r.read:]
	r.read = r.text.Len()
	rest, ok := news, true
	for _, part := range want {
		if _, rest, ok = strings.Cut(rest, part); !ok {
			break
		}
	}
	if !ok || len(want) == 0 && news != "" {
		t.Errorf("%s: the client gets\n%s\nwant %q, in order", what, news, want)
	}
}

// start sends a request, whose answer the test reads while it comes.
func start(t *testing.T, handler http.Handler, r *http.Request) *response {
	t.Helper()
	ctx, cancel := context.WithCancel(r.Context())
	w := &response{hangUp: cancel, done: make(chan struct{}), header: http.Header{}}
	t.Cleanup(cancel)
	go func() {
		defer close(w.done)
		handler.ServeHTTP(w, r.WithContext(ctx))
	}()
	synctest.Wait()
	return w
}
