package mcp_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/servers"
)

// guarded returns a server behind middleware for tests: the header User names the
// principal.
func guarded(t testing.TB, config mcp.Config, server servers.Interface) http.Handler {
	t.Helper()
	config.Logger = slog.New(slog.NewTextHandler(io.Discard, nil))
	app := mcp.New(config)
	app.Router.Web("/mcp", server).Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(w, r.WithContext(exchange.WithPrincipal(r.Context(), exchange.Principal{ID: r.Header.Get("User")})))
		})
	})
	handler, err := app.Handler()
	if err != nil {
		t.Fatal(err)
	}
	return handler
}

// as sends a request of a user.
func as(t testing.TB, handler http.Handler, user, method, session, body string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, "http://127.0.0.1/mcp", strings.NewReader(body))
	r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "User": {user}}
	if session != "" {
		r.Header.Set("Mcp-Session-Id", session)
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w
}

// A session ID doesn't prove the client's identity: only the principal that began a
// session may use it.
func TestASessionBelongsToItsPrincipal(t *testing.T) {
	t.Parallel()
	handler := guarded(t, mcp.Config{}, newWireServer())
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for _, owner := range []string{"ada", ""} {
		session := as(t, handler, owner, http.MethodPost, "", initialize("2025-11-25")).Header().Get("Mcp-Session-Id")
		for _, other := range []string{"eve", "ADA", "ada", ""} {
			if other == owner {
				continue
			}
			for _, request := range []struct{ method, body string }{
				{http.MethodPost, ping}, {http.MethodPost, batchOf(ping)}, {http.MethodPost, `{"jsonrpc":"2.0","method":"notifications/initialized"}`},
				{http.MethodPost, `{"jsonrpc":"2.0","id":1,"result":{}}`}, {http.MethodGet, ""}, {http.MethodDelete, ""},
			} {
				mine, none := as(t, handler, other, request.method, session, request.body), as(t, handler, other, request.method, "nonsense", request.body)
				if mine.Code != http.StatusNotFound || mine.Body.String() != none.Body.String() {
					t.Fatalf("%q sends %s %s in the session of %q and gets %d %s, not as if there were none", other, request.method, request.body, owner, mine.Code, mine.Body)
				}
			}
		}
		if w := as(t, handler, owner, http.MethodPost, session, ping); w.Code != http.StatusOK {
			t.Errorf("%q gets %d in the own session", owner, w.Code)
		}
		if w := as(t, handler, owner, http.MethodDelete, session, ""); w.Code != http.StatusNoContent {
			t.Errorf("%q can't end the own session: %d", owner, w.Code)
		}
	}
}
