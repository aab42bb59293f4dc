package mcp_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcp"
)

// A handler inside another program doesn't know the program's host names. It accepts any
// name on a network. On a loopback connection, the target of DNS rebinding, it accepts
// only loopback names.
func TestAHandlerGuardsItself(t *testing.T) {
	t.Parallel()
	handler := mcp.Handler(newWireServer())
	for _, tt := range []struct {
		local, host, origin string
		status              int
	}{
		{"127.0.0.1", "localhost:8080", "", 200},
		{"127.0.0.1", "[::1]", "", 200},
		{"127.0.0.1", "evil.example", "", 403},
		{"127.0.0.1", "localhost", "https://evil.example", 403},
		{"127.0.0.1", "localhost", "http://127.0.0.1:9", 200},
		{"::1", "evil.example", "", 403},
		{"10.0.0.1", "mcp.example", "", 200},
		{"10.0.0.1", "mcp.example", "https://mcp.example", 403},
		{"10.0.0.1", "mcp.example", "https://evil.example", 403},
		{"10.0.0.1", "mcp.example", "null", 403},
		{"10.0.0.1", "evil.example", "http://evil.example:81", 403},
		// An accepted request must not affect later requests of other hosts.
		{"127.0.0.1", "mcp.example", "", 403},
	} {
		addr := &net.TCPAddr{IP: net.ParseIP(tt.local), Port: 8080}
		ctx := context.WithValue(t.Context(), http.LocalAddrContextKey, net.Addr(addr))
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, "http://"+tt.host+"/", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
		r.Header.Set("Content-Type", "application/json")
		if tt.origin != "" {
			r.Header.Set("Origin", tt.origin)
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code != tt.status {
			t.Errorf("at %s, host %s, origin %q: %d, want %d: %s", tt.local, tt.host, tt.origin, w.Code, tt.status, w.Body)
		}
		if body := w.Body.String(); tt.status == 403 && !strings.Contains(body, "; an App does if its Config.Allowed") {
			t.Errorf("at %s, host %s, origin %q: the answer does not say who would answer: %s", tt.local, tt.host, tt.origin, body)
		}
	}
}
