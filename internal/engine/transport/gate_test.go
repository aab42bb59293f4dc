package transport_test

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/bowline-mcp/bowline/internal/engine/transport"
)

func TestAGuardLetsOnlyItsHostsAndOriginsIn(t *testing.T) {
	t.Parallel()
	named := transport.HostPolicy{Hosts: []string{"mcp.example.com"}, Origins: []string{"https://app.example.com"}}
	local := transport.HostPolicy{Loopback: true}
	anywhere := transport.HostPolicy{Anywhere: true}
	loopback, network := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}, &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1)}
	for _, test := range []struct {
		policy       transport.HostPolicy
		over         net.Addr
		host, origin string
		want         int
	}{
		{named, network, "mcp.example.com", "", http.StatusOK},
		{named, network, "MCP.example.com:8443", "", http.StatusOK},
		{named, network, "evil.example.com", "", http.StatusForbidden},
		{named, loopback, "127.0.0.1", "", http.StatusForbidden},
		{named, network, "mcp.example.com", "https://app.example.com", http.StatusOK},
		{named, network, "mcp.example.com", "https://mcp.example.com", http.StatusOK},
		{named, network, "mcp.example.com", "https://evil.example.com", http.StatusForbidden},
		{named, network, "mcp.example.com", "null", http.StatusForbidden},
		{named, network, "mcp.example.com", "%", http.StatusForbidden},
		{local, loopback, "localhost:3000", "", http.StatusOK},
		{local, loopback, "[::1]:3000", "http://localhost:5173", http.StatusOK},
		{local, loopback, "[::1]", "", http.StatusOK},
		{local, loopback, "evil.example.com", "", http.StatusForbidden},
		{anywhere, loopback, "localhost", "http://127.0.0.1", http.StatusOK},
		{anywhere, loopback, "evil.example.com", "", http.StatusForbidden},
		{anywhere, network, "any.example.com", "", http.StatusOK},
		{anywhere, network, "any.example.com", "https://any.example.com", http.StatusForbidden},
	} {
		gate := transport.NewGate(test.policy, slog.New(slog.DiscardHandler), http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		for range 2 { // the second time, the host is known
			r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1/mcp", nil)
			r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, test.over))
			if r.Host = test.host; test.origin != "" {
				r.Header.Set("Origin", test.origin)
			}
			if w := do(gate, r); w.Code != test.want {
				t.Errorf("%+v: the host %s and the origin %q get %d %s, want %d", test.policy, test.host, test.origin, w.Code, w.Body, test.want)
			}
		}
	}
	twice := httptest.NewRequest(http.MethodPost, "http://localhost/mcp", nil)
	twice.Header["Origin"] = []string{"http://localhost", "http://localhost"}
	expect(t, transport.NewGate(local, slog.New(slog.DiscardHandler), http.NotFoundHandler()), twice, http.StatusForbidden, "AllowedOrigins")
}

func TestWebPagesOfAllowedOriginsMayReadAnswers(t *testing.T) {
	t.Parallel()
	reached := 0
	gate := transport.NewGate(transport.HostPolicy{Loopback: true, Origins: []string{"https://app.example.com"}}, slog.New(slog.DiscardHandler),
		http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached++ }))
	preflight := func(origin string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodOptions, "http://localhost/mcp", nil)
		r.Header = http.Header{"Origin": {origin}, "Access-Control-Request-Method": {"POST"}, "Access-Control-Request-Headers": {"mcp-param-x"}}
		return do(gate, r)
	}
	w := preflight("https://app.example.com")
	for name, want := range map[string]string{
		"Access-Control-Allow-Origin": "https://app.example.com", "Access-Control-Allow-Headers": "mcp-param-x", "Access-Control-Allow-Methods": "POST, GET, DELETE", "Vary": "Origin",
	} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if w.Code != http.StatusNoContent || reached > 0 {
		t.Errorf("the preflight gets %d, and %d requests go on", w.Code, reached)
	}
	if w := preflight("http://localhost"); w.Header().Get("Access-Control-Allow-Origin") != "" || reached != 1 {
		t.Errorf("a page of the server's own gets %v, and %d requests go on", w.Header(), reached)
	}
	r := with(httptest.NewRequest(http.MethodPost, "http://localhost/mcp", nil), "Origin", "https://app.example.com")
	if w := do(gate, r); w.Header().Get("Access-Control-Expose-Headers") == "" || reached != 2 {
		t.Errorf("a request gets %v, and %d go on", w.Header(), reached)
	}
}
