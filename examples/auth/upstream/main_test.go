package main

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/auth/authtest"

	"github.com/bowline-mcp/bowline/examples/auth/client"
)

// start runs the program with users of Keycloak until the test ends, and returns the URL of
// its route.
func start(t *testing.T) (route string) {
	t.Helper()
	issuer := authtest.For(t, authtest.Keycloak)
	userinfo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"sub": authtest.DefaultSubject, "email": "alice@example.com", "email_verified": true})
	}))
	t.Cleanup(userinfo.Close)
	issuer.SetMetadata("userinfo_endpoint", userinfo.URL)
	for name, value := range map[string]string{"ISSUER": issuer.URL(), "CLIENT_ID": authtest.DefaultClient, "CLIENT_SECRET": authtest.DefaultSecret} {
		t.Setenv(name, value)
	}
	web := httptest.NewUnstartedServer(nil) // the issuer needs an address that is known before
	app := newApp(web.Listener.Addr().String(), provider(), t.TempDir(), slog.New(slog.NewTextHandler(t.Output(), nil)))
	handler, err := app.Handler()
	if err != nil {
		t.Fatal(err)
	}
	web.Config.Handler = handler
	web.Start()
	t.Cleanup(func() { web.Close(); app.Close() })
	return web.URL + "/mcp/notes"
}

// The user presses the button of our page, logs in at Keycloak without a page, and consents on
// ours.
func TestAUserOfKeycloakAddsANote(t *testing.T) {
	t.Setenv("ALLOWED_EMAILS", "bob@example.com,alice@example.com")
	route := start(t)
	tokens := authtest.Login(t, route, url.Values{}, url.Values{"decision": {"approve"}, "scope": {"notes:read", "notes:write"}})
	status, answer, err := client.Call(t.Context(), route, tokens.Access, "add-note", map[string]any{"text": "Buy rope."})
	if err != nil || status != http.StatusOK || !strings.Contains(answer, "alice@example.com added the note.") {
		t.Errorf("the call returns %d %s, %v", status, answer, err)
	}
}

func TestOtherUsersOfKeycloakAreRefused(t *testing.T) {
	t.Setenv("ALLOWED_EMAILS", "bob@example.com")
	refused := &failure{TB: t}
	func() {
		defer func() { _ = recover() }()
		authtest.Login(refused, start(t), url.Values{}, url.Values{"decision": {"approve"}})
	}()
	if !strings.Contains(refused.text, "alice@example.com may not use this server") {
		t.Errorf("the login ends with %s", refused.text)
	}
}

// A failure records how a login fails.
type failure struct {
	authtest.TB
	text string
}

func (f *failure) Fatal(args ...any) {
	if err, ok := args[0].(error); ok {
		f.text = err.Error()
	}
	panic("the login failed")
}

// GitHub is the default. Without an app there, the program says what to do.
func TestTheProgramSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	app := newApp("127.0.0.1:0", provider(), t.TempDir(), slog.New(slog.NewTextHandler(io.Discard, nil)))
	if code := app.Run(t.Context(), []string{"serve"}, strings.NewReader(""), io.Discard, &log); code == 0 || !strings.Contains(log.String(), "upstream.GitHub: Config.ClientID or ClientSecret is missing") {
		t.Errorf("the program ends with %d: %s", code, log.String())
	}
}
