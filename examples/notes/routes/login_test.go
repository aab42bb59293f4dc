package routes_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/auth/authtest"
	"github.com/bowline-mcp/bowline/framework/auth/oauth"
	"github.com/bowline-mcp/bowline/framework/mcp"

	"github.com/bowline-mcp/bowline/examples/notes/app/notes"
	"github.com/bowline-mcp/bowline/examples/notes/config"
	"github.com/bowline-mcp/bowline/examples/notes/routes"
)

// newApp returns the app with its data in a folder of the test.
func newApp(t *testing.T, settings mcp.Config) *mcp.App {
	t.Helper()
	folder := t.TempDir()
	store, err := notes.Open(t.Context(), filepath.Join(folder, "notes.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	users := config.OAuth()
	users.Store, users.Keys = "sqlite:"+filepath.Join(folder, "oauth.db"), filepath.Join(folder, "oauth.keys")
	app := mcp.New(settings)
	routes.AI(app.Router, oauth.New(users), store)
	t.Cleanup(func() { app.Close() })
	return app
}

// run runs a command of the app.
func run(t *testing.T, app *mcp.App, stdin string, command ...string) {
	t.Helper()
	if code := app.Run(t.Context(), command, strings.NewReader(stdin), t.Output(), t.Output()); code != 0 {
		t.Fatalf("%q ends with %d", command, code)
	}
}

// call calls a tool over HTTP with a token, and returns the status and the answer.
func call(t *testing.T, route, token, tool, arguments string) (status int, answer string) {
	t.Helper()
	message := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `,
		"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, route, strings.NewReader(message))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"Authorization": "Bearer " + token, "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": tool,
	} {
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

func TestTwoUsersLogInAndSeeOnlyTheirOwnNotes(t *testing.T) {
	web := httptest.NewUnstartedServer(nil)
	settings := config.App()
	settings.Addr = web.Listener.Addr().String()
	app := newApp(t, settings)
	run(t, app, "correct horse of ana\n", "user:create", "ana@example.com", "--password-stdin")
	run(t, app, "correct horse of bo\n", "user:create", "bo@example.com", "--password-stdin")
	handler, err := app.Handler()
	if err != nil {
		t.Fatal(err)
	}
	web.Config.Handler = handler
	web.Start()
	t.Cleanup(web.Close)
	route := web.URL + "/mcp/notes"

	login := func(user string, scopes ...string) string {
		return authtest.Login(t, route,
			url.Values{"name": {user + "@example.com"}, "password": {"correct horse of " + user}},
			url.Values{"decision": {"approve"}, "scope": scopes}).Access
	}
	ana, bo := login("ana", "mcp:use", "notes:delete"), login("bo", "mcp:use")
	call(t, route, ana, "add-note", `{"title":"Knots","text":"A bowline holds."}`)
	call(t, route, bo, "add-note", `{"title":"Sails","text":"Reef early."}`)
	if _, answer := call(t, route, ana, "list-notes", `{}`); !strings.Contains(answer, "Knots") || strings.Contains(answer, "Sails") {
		t.Errorf("ana sees %s", answer)
	}
	if _, answer := call(t, route, bo, "list-notes", `{}`); !strings.Contains(answer, "Sails") || strings.Contains(answer, "Knots") {
		t.Errorf("bo sees %s", answer)
	}
	if status, answer := call(t, route, bo, "delete-note", `{"id":2}`); status != http.StatusForbidden || !strings.Contains(answer, "notes:delete") {
		t.Errorf("bo, who has unticked notes:delete, deletes a note: %d %s", status, answer)
	}
	if status, answer := call(t, route, "wrong", "list-notes", `{}`); status != http.StatusUnauthorized {
		t.Errorf("a stranger gets %d %s", status, answer)
	}
}
