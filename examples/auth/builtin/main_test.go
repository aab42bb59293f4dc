package main

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/auth/authtest"
	"github.com/bowline-mcp/bowline/framework/mcp"

	"github.com/bowline-mcp/bowline/examples/auth/client"
)

const password = "correct horse battery"

// serve serves the program with the user ana until the test ends, and returns the URL of its
// route.
func serve(t *testing.T) string {
	t.Helper()
	web := httptest.NewUnstartedServer(nil)
	app := newApp(mcp.Config{Addr: web.Listener.Addr().String(), Logger: slog.New(slog.NewTextHandler(t.Output(), nil))}, t.TempDir())
	create := []string{"user:create", "ana@example.com", "--password-stdin"}
	if code := app.Run(t.Context(), create, strings.NewReader(password+"\n"), t.Output(), t.Output()); code != 0 {
		t.Fatalf("user:create ends with %d", code)
	}
	handler, err := app.Handler()
	if err != nil {
		t.Fatal(err)
	}
	web.Config.Handler = handler
	web.Start()
	t.Cleanup(func() { web.Close(); app.Close() })
	return web.URL + "/mcp/notes"
}

// The client asks for what the challenge names: it may read notes, and not add any.
func TestAUserLogsInAndReadsNotes(t *testing.T) {
	t.Parallel()
	route := serve(t)
	tokens := authtest.Login(t, route, url.Values{"name": {"ana@example.com"}, "password": {password}}, url.Values{"decision": {"approve"}, "scope": {"notes:read"}})
	if status, answer, err := client.Call(t.Context(), route, tokens.Access, "list-notes", nil); err != nil || !strings.Contains(answer, `"structuredContent":{"notes":[]}`) {
		t.Errorf("list-notes: %d %s %v", status, answer, err)
	}
	status, answer, err := client.Call(t.Context(), route, tokens.Access, "add-note", map[string]any{"text": "Buy rope."})
	if err != nil || status != http.StatusForbidden || !strings.Contains(answer, "the operation needs notes:write; the token has notes:read") {
		t.Errorf("add-note: %d %s %v", status, answer, err)
	}
}

func TestNobodyCallsWithoutAToken(t *testing.T) {
	t.Parallel()
	if status, answer, err := client.Call(t.Context(), serve(t), "wrong", "list-notes", nil); status != http.StatusUnauthorized {
		t.Errorf("the answer is %d %s %v", status, answer, err)
	}
}
