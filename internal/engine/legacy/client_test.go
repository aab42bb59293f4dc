package legacy_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/engine/legacy"
	"github.com/bowline-mcp/bowline/internal/engine/transport/transporttest"
)

// A client is a client of a server over HTTP.
type client struct {
	server *server
	header http.Header
}

// stranger returns a client without a session.
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

// listening returns a new server, a client of it, and the stream that the client has opened
// to listen.
func listening(t *testing.T) (*server, *client, *transporttest.Response) {
	t.Helper()
	s := newServer(t, legacy.Config{})
	c := s.client(t, "2025-11-25")
	return s, c, c.get(t, "")
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
	w := httptest.NewRecorder()
	c.server.http.ServeHTTP(w, c.message(method, body))
	return w
}

// message returns a request that carries a message.
func (c *client) message(method, body string) *http.Request {
	r := httptest.NewRequest(method, "http://127.0.0.1/mcp", strings.NewReader(body))
	r.Header = c.header
	return r
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

// start sends a request, and returns its response while the handler still runs.
func (c *client) start(t *testing.T, method, body string) *transporttest.Response {
	t.Helper()
	return transporttest.Start(t, c.server.http, c.message(method, body))
}

// follow sends a message, and returns its response while the handler still runs.
func (c *client) follow(t *testing.T, message string) *transporttest.Response {
	t.Helper()
	return c.start(t, http.MethodPost, message)
}

// get opens a stream, or resumes one.
func (c *client) get(t *testing.T, last string) *transporttest.Response {
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

// padded returns a call with a size in bytes.
func padded(id int, tool string, size int) string {
	message := callOf(id, tool)
	return message[:len(message)-1] + `,"x":"` + strings.Repeat("x", size-len(message)-7) + `"}`
}

func notification(method, params string) string {
	return `{"jsonrpc":"2.0","method":"` + method + `","params":` + params + `}`
}

func canceled(id int) string {
	return notification("notifications/cancelled", fmt.Sprintf(`{"requestId":%d}`, id))
}
