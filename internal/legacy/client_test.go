package legacy_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// bubble runs a test in which goroutines and time can be waited for.
func bubble(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, test)
}

// A logBuffer is what the server logs.
type logBuffer struct {
	lock sync.Mutex
	text bytes.Buffer
}

func (b *logBuffer) Write(data []byte) (int, error) {
	b.lock.Lock()
	defer b.lock.Unlock()
	return b.text.Write(data)
}

func (b *logBuffer) String() string {
	b.lock.Lock()
	defer b.lock.Unlock()
	return b.text.String()
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

// over reports whether the response has ended.
func (r *response) over() bool {
	synctest.Wait()
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// news returns what was sent since the last time.
func (r *response) news() string {
	synctest.Wait()
	r.lock.Lock()
	defer r.lock.Unlock()
	news := r.text.String()[r.read:]
	r.read = r.text.Len()
	return news
}

// gets checks that what was sent since the last time has all these, in order, and nothing
// that the last one doesn't end. Without any, there must be no message.
func (r *response) gets(t *testing.T, what string, want ...string) {
	t.Helper()
	news := r.news()
	rest := news
	for _, text := range want {
		_, after, ok := strings.Cut(rest, text)
		if !ok {
			t.Errorf("%s: the client gets\n%s\nwant %q, in order", what, news, want)
			return
		}
		rest = after
	}
	if strings.Contains(rest, `"jsonrpc"`) {
		t.Errorf("%s: the client gets\n%s\nwant only %q", what, news, want)
	}
}

// lastID returns the id of the last event.
func (r *response) lastID() string {
	r.lock.Lock()
	defer r.lock.Unlock()
	text := r.text.String()
	at := strings.LastIndex(text, "id: ")
	if at < 0 {
		return ""
	}
	id, _, _ := strings.Cut(text[at+len("id: "):], "\n")
	return id
}

// A client talks to a server over HTTP.
type client struct {
	server *server
	header http.Header
}

// stranger returns a client that has no session.
func (s *server) stranger() *client {
	return &client{s, http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}}
}

// with returns the client with another header.
func (c *client) with(name, value string) *client {
	other := &client{c.server, c.header.Clone()}
	other.header.Set(name, value)
	return other
}

// client returns a client with a session.
func (s *server) client(t *testing.T, version string) *client {
	t.Helper()
	return s.stranger().begin(t, version)
}

// begin begins a session.
func (c *client) begin(t *testing.T, version string) *client {
	t.Helper()
	w := c.post(initialize(version))
	if w.Code != http.StatusOK || w.Header().Get("Mcp-Session-Id") == "" {
		t.Fatalf("initialize gets %d %v %s", w.Code, w.Header(), w.Body)
	}
	return c.with("Mcp-Session-Id", w.Header().Get("Mcp-Session-Id"))
}

// post sends a message and waits for the answer.
func (c *client) post(message string) *httptest.ResponseRecorder {
	return c.request(http.MethodPost, message)
}

func (c *client) request(method, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://127.0.0.1/mcp", strings.NewReader(body))
	r.Header = c.header
	w := httptest.NewRecorder()
	c.server.http.ServeHTTP(w, r)
	return w
}

// expect checks the status and part of the answer to a message.
func (c *client) expect(t *testing.T, message string, status int, part string) *httptest.ResponseRecorder {
	t.Helper()
	w := c.post(message)
	if w.Code != status || !strings.Contains(w.Body.String(), part) || part == "" && w.Body.Len() > 0 {
		t.Errorf("%.200s\ngets %d %.300s\nwant %d %s", message, w.Code, w.Body, status, part)
	}
	return w
}

// start sends a request, whose answer the test reads while it comes.
func (c *client) start(t *testing.T, method, body string) *response {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r := httptest.NewRequestWithContext(ctx, method, "http://127.0.0.1/mcp", strings.NewReader(body))
	r.Header = c.header
	w := &response{hangUp: cancel, done: make(chan struct{}), header: http.Header{}}
	go func() {
		defer close(w.done)
		c.server.http.ServeHTTP(w, r)
	}()
	synctest.Wait()
	return w
}

// follow sends a message, and reads the answer while it comes.
func (c *client) follow(t *testing.T, message string) *response {
	t.Helper()
	return c.start(t, http.MethodPost, message)
}

// get opens a stream, or resumes one.
func (c *client) get(t *testing.T, last string) *response {
	t.Helper()
	return c.with("Last-Event-ID", last).start(t, http.MethodGet, "")
}

func initialize(version string) string {
	return requestOf(0, "initialize", `{"protocolVersion":"`+version+`","capabilities":{"roots":{}},"clientInfo":{"name":"c","version":"1"}}`)
}

func requestOf(id int, method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"%s","params":%s}`, id, method, params)
}

func callOf(id int, tool string) string {
	return requestOf(id, "tools/call", `{"name":"`+tool+`","arguments":{}}`)
}

// padded is a call of so many bytes.
func padded(id int, tool string, size int) string {
	message := callOf(id, tool)
	return message[:len(message)-1] + `,"x":"` + strings.Repeat("x", size-len(message)-7) + `"}`
}

func notification(method, params string) string {
	return `{"jsonrpc":"2.0","method":"` + method + `","params":` + params + `}`
}

func cancelled(id int) string {
	return notification("notifications/cancelled", fmt.Sprintf(`{"requestId":%d}`, id))
}
