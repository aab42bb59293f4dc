package oauth_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/auth/login"
	"github.com/bowline-mcp/bowline/framework/auth/oauth"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/servers"
)

// post sends a form to an endpoint.
func (p *program) post(t *testing.T, path string, parameters url.Values, header ...string) (*http.Response, string) {
	t.Helper()
	return do(t, p.client, http.MethodPost, p.url+path, "application/x-www-form-urlencoded", parameters.Encode(), header...)
}

// login returns a client that a user has allowed, with its tokens.
func (p *program) login(t *testing.T, user string) (*agent, tokens) {
	t.Helper()
	a := &agent{url: p.url, client: fresh}
	if err := errors.Join(a.register(t.Context()), a.login(t.Context(), user)); err != nil {
		t.Fatal(err)
	}
	got, err := a.redeem(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return a, got
}

// initialize begins a session of an older client, and returns its ID.
func (p *program) initialize(t *testing.T, path string, header ...string) string {
	t.Helper()
	w, text := p.older(t, path, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, header...)
	session := w.Header.Get("Mcp-Session-Id")
	if session == "" {
		t.Fatalf("%s: there is no session: %d %s", path, w.StatusCode, text)
	}
	return session
}

// older sends a message of an older client.
func (p *program) older(t *testing.T, path, message string, header ...string) (*http.Response, string) {
	t.Helper()
	header = append(header, "Accept", "application/json, text/event-stream", "MCP-Protocol-Version", "2025-11-25")
	return do(t, p.client, http.MethodPost, p.url+path, "application/json", message, header...)
}

func TestATokenIsForItsRouteAlone(t *testing.T) {
	t.Parallel()
	p := serve(t)
	client, ana := p.login(t, "ana")
	const ping = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
	session := p.initialize(t, "/mcp/office", "Authorization", "Bearer "+ana.Access)
	for what, attack := range map[string]struct {
		path, token string
		status      int
	}{
		"the token":                       {"/mcp/office", ana.Access, http.StatusOK},
		"the token at another route":      {"/mcp/annex", ana.Access, http.StatusUnauthorized},
		"the refresh token":               {"/mcp/office", ana.Refresh, http.StatusUnauthorized},
		"the code":                        {"/mcp/office", client.code, http.StatusUnauthorized},
		"a token whose signature is gone": {"/mcp/office", ana.Access[:strings.LastIndex(ana.Access, ".")+1], http.StatusUnauthorized},
		"the session at an open route":    {"/mcp/lobby", "", http.StatusNotFound},
	} {
		if w, text := p.older(t, attack.path, ping, "Authorization", "Bearer "+attack.token, "Mcp-Session-Id", session); w.StatusCode != attack.status {
			t.Errorf("%s: %d %s, want %d", what, w.StatusCode, text, attack.status)
		}
	}
	open := p.initialize(t, "/mcp/lobby")
	if w, text := p.older(t, "/mcp/office", ping, "Authorization", "Bearer "+ana.Access, "Mcp-Session-Id", open); w.StatusCode != http.StatusNotFound {
		t.Errorf("the session of an open route at a guarded one: %d %s", w.StatusCode, text)
	}
	if log := p.log.String(); strings.Contains(log, ana.Access) || strings.Contains(log, ana.Refresh) || strings.Contains(log, client.code) {
		t.Errorf("the log has a secret: %s", log)
	}
}

func TestASessionIsForItsUserAlone(t *testing.T) {
	t.Parallel()
	p := serve(t)
	_, ana := p.login(t, "ana")
	_, bob := p.login(t, "bob")
	const olderWhoami = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"whoami","arguments":{}}}`
	session := p.initialize(t, "/mcp/office", "Authorization", "Bearer "+ana.Access)
	if w, text := p.older(t, "/mcp/office", olderWhoami, "Authorization", "Bearer "+bob.Access, "Mcp-Session-Id", session); w.StatusCode != http.StatusNotFound {
		t.Errorf("another user: %d %s", w.StatusCode, text)
	}
	if w, text := p.older(t, "/mcp/office", olderWhoami, "Authorization", "Bearer "+ana.Access, "Mcp-Session-Id", session); w.StatusCode != http.StatusOK || !strings.Contains(text, "ana with mcp:use") {
		t.Errorf("the user: %d %s", w.StatusCode, text)
	}
}

// Everybody can write an X-Forwarded-For. Only the proxies of the program are believed.
func TestAForgedAddressDoesNotAvoidTheLimitOfFailures(t *testing.T) {
	t.Parallel()
	p := serve(t)
	var client struct {
		ID string `json:"client_id"`
	}
	_, text := do(t, p.client, http.MethodPost, p.url+"/oauth/register", "application/json", `{"redirect_uris":["http://127.0.0.1/cb"],"token_endpoint_auth_method":"client_secret_post"}`)
	if err := json.Unmarshal([]byte(text), &client); err != nil {
		t.Fatal(err)
	}
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {client.ID}, "client_secret": {"wrong"}}
	for n := range 21 {
		address := fmt.Sprintf("192.0.2.%d", n)
		w, text := p.post(t, "/oauth/token", form, "X-Forwarded-For", address, "Forwarded", "for="+address, "X-Real-Ip", address)
		want := http.StatusUnauthorized
		if n == 20 {
			want = http.StatusTooManyRequests
		}
		if w.StatusCode != want {
			t.Fatalf("wrong secret %d gets %d %s, want %d", n, w.StatusCode, text, want)
		}
	}
}

func TestTheListNamesTheProgramAsTheIssuerOfItsRoutes(t *testing.T) {
	t.Parallel()
	app := mcp.New(mcp.Config{URL: "https://example.com", Logger: slog.New(slog.DiscardHandler)})
	server := oauth.New(oauth.Config{Authenticator: login.Password(), Store: "memory:", Scopes: map[string]string{"use": "Use it"}})
	app.Router.Component(server)
	app.Router.Web("own", &servers.Server{}).Guard(server.Guard("use"))
	var out strings.Builder
	if code := app.Run(t.Context(), []string{"list"}, strings.NewReader(""), &out, io.Discard); code != 0 {
		t.Fatalf("the exit code is %d", code)
	}
	if list := strings.Join(strings.Fields(out.String()), " "); !strings.Contains(list, "POST /mcp/own Server https://example.com ") {
		t.Errorf("the list is\n%s", out.String())
	}
}
