package routes_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/mcptest"

	"github.com/bowline-mcp/bowline/examples/notes/app/mcp/servers"
	"github.com/bowline-mcp/bowline/examples/notes/app/notes"
	"github.com/bowline-mcp/bowline/examples/notes/config"
)

func TestClientsBehindTheProxyFindTheLogin(t *testing.T) {
	t.Setenv("APP_URL", "https://notes.example.com")
	t.Setenv("APP_TRUSTED_PROXIES", "127.0.0.1")
	var log bytes.Buffer
	settings := config.App()
	settings.Logger = slog.New(slog.NewTextHandler(&log, nil))
	app := newApp(t, settings)
	run(t, app, "", "key:generate")
	handler, err := app.Handler()
	if err != nil {
		t.Fatal(err)
	}

	request := httptest.NewRequest(http.MethodPost, "http://notes.example.com/mcp/notes", nil)
	request.RemoteAddr = "127.0.0.1:50000"
	request.Header.Set("X-Forwarded-For", "192.0.2.7")
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, request)
	want := `resource_metadata="https://notes.example.com/.well-known/oauth-protected-resource/mcp/notes"`
	if challenge := answer.Header().Get("WWW-Authenticate"); answer.Code != http.StatusUnauthorized || !strings.Contains(challenge, want) {
		t.Errorf("the answer is %d with the challenge %s", answer.Code, challenge)
	}
	if strings.Contains(log.String(), "APP_TRUSTED_PROXIES") {
		t.Errorf("the proxy isn't trusted:\n%s", log.String())
	}
}

func TestAFailureOfTheDatabaseIsAnAlarm(t *testing.T) {
	store, err := notes.Open(t.Context(), filepath.Join(t.TempDir(), "notes.db"))
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	mcptest.Configured(t, mcp.Config{Logger: slog.New(slog.NewJSONHandler(&log, nil))}, servers.NewNotesServer(store)).
		As(exchange.Principal{ID: "ana"}).
		Call("list-notes", nil).
		AssertError("The tool list-notes failed.")
	if line := log.String(); !strings.Contains(line, `"level":"ERROR"`) || !strings.Contains(line, `"outcome":"failed"`) {
		t.Errorf("the log has no alarm:\n%s", line)
	}
}
