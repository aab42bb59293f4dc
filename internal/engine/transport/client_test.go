package transport_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/engine/transport"
)

// handler returns the server over HTTP, in both eras.
func (s *server) handler() http.Handler {
	return transport.NewHTTP(s.Core, s.older, s.Limits, s.Core.Server().Logger)
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
