package oauth_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
	"github.com/bowline-mcp/bowline/internal/test/buffertest"
	"github.com/bowline-mcp/bowline/internal/test/databasetest"
	"github.com/bowline-mcp/bowline/internal/test/pipetest"
)

// office is a server whose tool says who calls it.
type office struct{ servers.Server }

func (*office) Name() string { return "office" }
func (*office) Tools() []servers.Tool {
	definition := tools.Definition{Name: "whoami", Description: "Says who calls.", InputSchema: []byte(`{"type":"object"}`)}
	return []servers.Tool{tools.New(definition, func(_ context.Context, r *tools.Request) (tools.Result, error) {
		return tools.Text(r.Principal().Subject + " with " + strings.Join(r.Principal().Scopes, " ")), nil
	})}
}

// anybody lets everybody in who has a name.
type anybody struct{}

func (anybody) Authenticate(w http.ResponseWriter, r *oauth.LoginRequest) (*oauth.User, error) {
	name := r.PostForm.Get("name")
	if name == "" {
		r.Form(w, http.StatusOK, "")
		return nil, nil
	}
	return &oauth.User{ID: name, Name: name}, nil
}

// A program serves the office and its annex at a loopback address, behind its own authorization
// server, and the lobby, which is open.
type program struct {
	operator
	url    string
	client *http.Client // reaches the program
	log    *buffertest.Buffer
}

func serve(t *testing.T, alter ...func(*oauth.Config)) *program {
	t.Helper()
	by := newOperator(t, alter...)
	p := serveAt(t, "127.0.0.1:0", by.Config)
	p.operator = by
	return p
}

// serveInBubble serves the program in a bubble of testing/synctest.
func serveInBubble(t *testing.T, alter ...func(*oauth.Config)) *program {
	t.Helper()
	return newOperator(t, alter...).serveInBubble(t, "127.0.0.1:8080")
}

// A mapping adds routes to those of a program.
type mapping func(*mcp.Router, *oauth.Server)

// serveInBubble serves the operator's program at an address.
func (o operator) serveInBubble(t *testing.T, address string, more ...mapping) *program {
	t.Helper()
	p, handler := newProgram(t, address, o.Config, more...)
	p.operator = o
	p.client = pipetest.Serve(t, &http.Server{Handler: handler, ReadHeaderTimeout: time.Second}).Client(t)
	return p
}

// serveAt serves the program at an address.
func serveAt(t *testing.T, address string, config oauth.Config) *program {
	t.Helper()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	p, handler := newProgram(t, listener.Addr().String(), config)
	web := &http.Server{Handler: handler, ReadHeaderTimeout: time.Second}
	go web.Serve(listener) //nolint:errcheck // until Close
	t.Cleanup(func() { _ = web.Close() })
	return p
}

func newProgram(t *testing.T, address string, config oauth.Config, more ...mapping) (*program, http.Handler) {
	t.Helper()
	server := oauth.New(config)
	p := &program{url: "http://" + address, client: http.DefaultClient, log: &buffertest.Buffer{}}
	app := mcp.New(mcp.Config{Addr: address, Logger: slog.New(slog.NewTextHandler(p.log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	app.Router.Component(server)
	app.Router.Web("office", &office{}).Guard(server.Guard("mcp:use"))
	app.Router.Web("annex", &office{}).Guard(server.Guard("mcp:use"))
	app.Router.Web("lobby", &office{})
	for _, add := range more {
		add(app.Router, server)
	}
	handler, err := app.Handler()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(app.Close)
	return p, handler
}

// do sends a request and returns the answer with its body.
func do(t *testing.T, client *http.Client, method, address, contentType, body string, header ...string) (*http.Response, string) {
	t.Helper()
	w, text, err := send(t.Context(), client, method, address, contentType, body, header...)
	if err != nil {
		t.Fatal(err)
	}
	return w, text
}

// send is do for a program that may have been killed.
func send(ctx context.Context, client *http.Client, method, address, contentType, body string, header ...string) (*http.Response, string, error) {
	r, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	if err != nil {
		return nil, "", err
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w, err := client.Do(r)
	if err != nil {
		return nil, "", err
	}
	defer w.Body.Close() //nolint:errcheck // a test
	text, err := io.ReadAll(w.Body)
	return w, string(text), err
}

// document reads a JSON document.
func (p *program) document(t *testing.T, address string) (found map[string]any) {
	t.Helper()
	w, text := do(t, p.client, http.MethodGet, address, "", "", "Origin", "https://inspector.example")
	if err := json.Unmarshal([]byte(text), &found); err != nil || w.StatusCode != http.StatusOK || w.Header.Get("Access-Control-Allow-Origin") != "*" {
		t.Fatalf("%s: %d %v %s", address, w.StatusCode, w.Header, text)
	}
	return found
}

const whoami = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whoami","arguments":{},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`

func (p *program) call(t *testing.T, token string) (*http.Response, string) {
	t.Helper()
	return p.callAt(t, "/mcp/office", token)
}

func (p *program) callAt(t *testing.T, path, token string) (*http.Response, string) {
	t.Helper()
	return do(t, p.client, http.MethodPost, p.url+path, "application/json", whoami, "Authorization", "Bearer "+token, "Accept", "application/json, text/event-stream",
		"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "whoami")
}

// A client that knows nothing but the URL of the route finds everything else by itself.
func TestAClientFindsItsWayFromTheRouteToACall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := serveInBubble(t)
		refused, _ := p.call(t, "wrong")
		found := regexp.MustCompile(`resource_metadata="([^"]+)"`).FindStringSubmatch(refused.Header.Get("WWW-Authenticate"))
		if refused.StatusCode != http.StatusUnauthorized || found == nil {
			t.Fatalf("without a token: %d %v", refused.StatusCode, refused.Header)
		}
		resource := p.document(t, found[1])
		issuers, _ := resource["authorization_servers"].([]any)
		if resource["resource"] != p.url+"/mcp/office" || len(issuers) != 1 || issuers[0] != p.url {
			t.Fatalf("the metadata of the route is %v", resource)
		}
		metadata := p.document(t, p.url+"/.well-known/oauth-authorization-server")
		endpoint := func(name string) string { text, _ := metadata[name].(string); return text }

		registered, text := do(t, p.client, http.MethodPost, endpoint("registration_endpoint"), "application/json", `{"client_name":"Test","redirect_uris":["`+callback+`"],"token_endpoint_auth_method":"none"}`)
		var client struct {
			ID string `json:"client_id"`
		}
		if err := json.Unmarshal([]byte(text), &client); err != nil || registered.StatusCode != http.StatusCreated {
			t.Fatalf("the registration is %d %s", registered.StatusCode, text)
		}

		query := url.Values{
			"response_type": {"code"}, "client_id": {client.ID}, "redirect_uri": {callback}, "state": {"s"}, "resource": {p.url + "/mcp/office/"}, "scope": {"mcp:use"},
			"code_challenge": {challenge}, "code_challenge_method": {"S256"},
		}
		answer, err := newWebBrowser(p.url, func() *http.Client { return p.client }).authorize(t.Context(), endpoint("authorization_endpoint")+"?"+query.Encode(), "ana", "mcp:use")
		if err != nil || answer.Get("state") != "s" || answer.Get("iss") != p.url {
			t.Fatalf("the client is answered with %v, %v", answer, err)
		}

		form := url.Values{
			"grant_type": {"authorization_code"}, "client_id": {client.ID}, "code": {answer.Get("code")}, "redirect_uri": {callback},
			"code_verifier": {verifier}, "resource": {p.url + "/mcp/office"},
		}
		var tokens tokens
		_, text = do(t, p.client, http.MethodPost, endpoint("token_endpoint"), "application/x-www-form-urlencoded", form.Encode(), "Origin", "https://inspector.example")
		if err := json.Unmarshal([]byte(text), &tokens); err != nil || tokens.Access == "" {
			t.Fatalf("the tokens are %s", text)
		}
		if w, text := p.call(t, tokens.Access); w.StatusCode != http.StatusOK || !strings.Contains(text, "ana with mcp:use") {
			t.Fatalf("the call is answered with %d %s", w.StatusCode, text)
		}

		if w, text := do(t, p.client, http.MethodPost, endpoint("revocation_endpoint"), "application/x-www-form-urlencoded", url.Values{"client_id": {client.ID}, "token": {tokens.Refresh}}.Encode()); w.StatusCode != http.StatusOK {
			t.Fatalf("the revocation is answered with %d %s", w.StatusCode, text)
		}
		time.Sleep(100 * time.Millisecond)
		if w, text := p.call(t, tokens.Access); w.StatusCode != http.StatusUnauthorized || !strings.Contains(w.Header.Get("WWW-Authenticate"), "The access token was revoked") {
			t.Errorf("after the revocation: %d %s", w.StatusCode, text)
		}
		for _, secret := range []string{tokens.Access, tokens.Refresh, answer.Get("code")} {
			if strings.Contains(p.log.String(), secret) {
				t.Errorf("the log has %q", secret)
			}
		}
	})
}

// Pages of other sites may get tokens for themselves, but not use the pages for users.
func TestOtherSitesMayUseOnlyThePublicEndpoints(t *testing.T) {
	t.Parallel()
	p := serve(t)
	for path, public := range map[string]bool{
		"/oauth/token": true, "/oauth/register": true, "/oauth/revoke": true, "/oauth/jwks": true, "/.well-known/oauth-authorization-server": true, "/.well-known/openid-configuration": true,
		"/oauth/authorize": false, "/oauth/login": false, "/oauth/consent": false, "/oauth/callback": false, "/oauth/introspect": false,
	} {
		w, _ := do(t, http.DefaultClient, http.MethodOptions, p.url+path, "", "", "Origin", "https://evil.test", "Access-Control-Request-Method", "POST")
		allowed := w.Header.Get("Access-Control-Allow-Origin")
		if public != (allowed == "*") || w.Header.Get("Access-Control-Allow-Credentials") != "" || !public && w.StatusCode != http.StatusForbidden {
			t.Errorf("%s: %d, Access-Control-Allow-Origin is %q", path, w.StatusCode, allowed)
		}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = "evil.test"
		if w, err := http.DefaultClient.Do(r); err != nil || w.StatusCode != http.StatusForbidden {
			t.Errorf("%s: the Host evil.test gets %v, %v", path, w.Status, err)
		}
	}
}

// Without its authorization server a guarded route would send clients to pages that aren't there.
func TestAGuardNeedsTheServerOfItsTokens(t *testing.T) {
	t.Parallel()
	server := oauth.New(oauth.Config{Authenticator: anybody{}, Store: "sqlite:oauth.db", Drivers: databasetest.Drivers()})
	program := mcp.New(mcp.Config{Logger: slog.New(slog.DiscardHandler)})
	program.Router.Web("private", &office{}).Guard(server.Guard("mcp:use"))
	const want = "the route /mcp/private: guard 1: the guard belongs to an authorization server that the program doesn't serve; call Router.Component with the server"
	if err := program.Validate(); err == nil || err.Error() != want {
		t.Errorf("the error is %v, want %s", err, want)
	}
	program.Router.Component(server)
	if err := program.Validate(); err != nil {
		t.Errorf("with Router.Component the error is %v", err)
	}
	program.Router.Component(server)
	err := program.Validate()
	if err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), " /oauth/token, ") ||
		!strings.HasSuffix(err.Error(), " belong to component 1 (*oauth.Server) and component 2 (*oauth.Server); take out one component, or choose other paths") {
		t.Errorf("with two servers the error is %v", err)
	}
}
