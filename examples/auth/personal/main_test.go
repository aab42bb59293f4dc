package main

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/mcp"

	"github.com/bowline-mcp/bowline/examples/auth/client"
)

// run runs a command of the program, and returns the part of its output that a pattern captures.
func run(t *testing.T, app *mcp.App, pattern string, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	if code := app.Run(t.Context(), args, strings.NewReader("correct horse battery\n"), &out, t.Output()); code != 0 {
		t.Fatalf("%q ends with %d", args, code)
	}
	found := regexp.MustCompile(pattern).FindStringSubmatch(out.String())
	if found == nil {
		t.Fatalf("%q prints %s, want %s", args, out.String(), pattern)
	}
	return found[len(found)-1]
}

func TestAScriptCallsWithTheTokenOfAUser(t *testing.T) {
	t.Parallel()
	web := httptest.NewUnstartedServer(nil)
	app := newApp(mcp.Config{Addr: web.Listener.Addr().String(), Logger: slog.New(slog.NewTextHandler(t.Output(), nil))}, t.TempDir())
	run(t, app, "ana@example.com", "user:create", "ana@example.com", "--password-stdin")
	reader := run(t, app, `(bowline_pat_\S+)`, "token:create", "backup", "--user", "ana@example.com")
	writer := run(t, app, `(bowline_pat_\S+)`, "token:create", "import", "--user", "ana@example.com", "--scope", "notes:read", "--scope", "notes:write", "--expires", "12h")
	handler, err := app.Handler()
	if err != nil {
		t.Fatal(err)
	}
	web.Config.Handler = handler
	web.Start()
	t.Cleanup(func() { web.Close(); app.Close() })

	calls := func(token string) (status int, answer string) {
		t.Helper()
		status, answer, err := client.Call(t.Context(), web.URL+"/mcp/notes", token, "add-note", map[string]any{"text": "Buy rope."})
		if err != nil {
			t.Fatal(err)
		}
		return status, answer
	}
	if status, answer := calls(writer); status != http.StatusOK || !strings.Contains(answer, "ana@example.com added the note.") {
		t.Errorf("with the scope: %d %s", status, answer)
	}
	if status, answer := calls(reader); status != http.StatusForbidden || !strings.Contains(answer, "the operation needs notes:write") {
		t.Errorf("without the scope: %d %s", status, answer)
	}
	id := run(t, app, `(\S+) +import`, "token:list")
	run(t, app, "", "token:revoke", id)
	time.Sleep(100 * time.Millisecond) // the time for which a token counts as live
	if status, answer := calls(writer); status != http.StatusUnauthorized {
		t.Errorf("after token:revoke: %d %s", status, answer)
	}
}
