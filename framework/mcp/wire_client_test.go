package mcp_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
)

// A client of the fixture server, in the same process. With a session it is a legacy
// client.
type wireClient struct {
	handler http.Handler
	session string
}

// open begins a session at a version.
func (c *wireClient) open(t *testing.T, version string) *wireClient {
	t.Helper()
	w := (&wireClient{handler: c.handler}).post(t.Context(), initialize(version), "")
	if w.Code != http.StatusOK {
		t.Fatalf("initialize gets %d: %s", w.Code, w.Body)
	}
	return &wireClient{c.handler, w.Header().Get("Mcp-Session-Id")}
}

// post sends a message. The tool is the name in the header of a modern call.
func (c *wireClient) post(ctx context.Context, message, tool string) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "http://127.0.0.1/mcp", strings.NewReader(message))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if c.session != "" {
		r.Header.Set("Mcp-Session-Id", c.session)
	} else if tool != "" {
		r.Header.Set("Mcp-Protocol-Version", "2026-07-28")
		r.Header.Set("Mcp-Method", "tools/call")
		r.Header.Set("Mcp-Name", tool)
	}
	w := httptest.NewRecorder()
	c.handler.ServeHTTP(w, r)
	return w
}

// end ends the client's session.
func (c *wireClient) end(t *testing.T) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodDelete, "http://127.0.0.1/mcp", nil)
	r.Header.Set("Mcp-Session-Id", c.session)
	w := httptest.NewRecorder()
	if c.handler.ServeHTTP(w, r); w.Code != http.StatusNoContent {
		t.Errorf("DELETE gets %d %s, want 204", w.Code, w.Body)
	}
}

// call calls a tool in the client's era.
func (c *wireClient) call(ctx context.Context, id, tool, arguments string) *httptest.ResponseRecorder {
	if c.session != "" {
		return c.post(ctx, legacyCall(id, tool, arguments), tool)
	}
	return c.post(ctx, modernCall(id, tool, arguments), tool)
}

// start calls a tool, and delivers the answer when it arrives.
func (c *wireClient) start(ctx context.Context, id, tool string) <-chan *httptest.ResponseRecorder {
	answer := make(chan *httptest.ResponseRecorder, 1)
	go func() { answer <- c.call(ctx, id, tool, `{}`) }()
	synctest.Wait()
	return answer
}
