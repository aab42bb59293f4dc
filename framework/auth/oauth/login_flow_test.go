package oauth_test

import (
	"context"
	"encoding/json"
	"html"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store/sqlite"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
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

// A program serves the office at a loopback address, behind its own authorization server.
type program struct {
	url string
	log *record
}

// A record is a log that the test reads while the program writes it.
type record struct {
	mu   sync.Mutex
	text strings.Builder
}

func (r *record) Write(line []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Write(line)
}

func (r *record) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

func serve(t *testing.T) *program {
	t.Helper()
	folder := t.TempDir()
	server := oauth.New(oauth.Config{Authenticator: anybody{}, Store: "sqlite:" + filepath.Join(folder, "oauth.db"), Drivers: []store.Driver{sqlite.Driver()}, Keys: filepath.Join(folder, "oauth.keys")})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &program{url: "http://" + listener.Addr().String(), log: &record{}}
	app := mcp.New(mcp.Config{Addr: listener.Addr().String(), Logger: slog.New(slog.NewTextHandler(p.log, nil))})
	app.Router.OAuthRoutes(server)
	app.Router.Web("office", &office{}).Guard(server.Guard("mcp:use"))
	handler, err := app.Handler()
	if err != nil {
		t.Fatal(err)
	}
	web := &http.Server{Handler: handler, ReadHeaderTimeout: time.Second}
	go web.Serve(listener) //nolint:errcheck // until Close
	t.Cleanup(func() { _ = web.Close(); app.Close() })
	return p
}

// do sends a request and returns the answer with its body.
func do(t *testing.T, client *http.Client, method, address, contentType, body string, header ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Body.Close() //nolint:errcheck // a test
	text, err := io.ReadAll(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	return w, string(text)
}

// document reads a JSON document.
func document(t *testing.T, address string) (found map[string]any) {
	t.Helper()
	w, text := do(t, http.DefaultClient, http.MethodGet, address, "", "", "Origin", "https://inspector.example")
	if err := json.Unmarshal([]byte(text), &found); err != nil || w.StatusCode != http.StatusOK || w.Header.Get("Access-Control-Allow-Origin") != "*" {
		t.Fatalf("%s: %d %v %s", address, w.StatusCode, w.Header, text)
	}
	return found
}

const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whoami","arguments":{},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`

func (p *program) call(t *testing.T, token string) (*http.Response, string) {
	t.Helper()
	return do(t, http.DefaultClient, http.MethodPost, p.url+"/mcp/office", "application/json", call, "Authorization", "Bearer "+token, "Accept", "application/json, text/event-stream",
		"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "whoami")
}

// A client that knows nothing but the URL of the route finds everything else by itself.
func TestAClientFindsItsWayFromTheRouteToACall(t *testing.T) {
	t.Parallel()
	p := serve(t)
	refused, _ := p.call(t, "wrong")
	challenge := regexp.MustCompile(`resource_metadata="([^"]+)"`).FindStringSubmatch(refused.Header.Get("WWW-Authenticate"))
	if refused.StatusCode != http.StatusUnauthorized || challenge == nil {
		t.Fatalf("without a token: %d %v", refused.StatusCode, refused.Header)
	}
	resource := document(t, challenge[1])
	issuers, _ := resource["authorization_servers"].([]any)
	if resource["resource"] != p.url+"/mcp/office" || len(issuers) != 1 || issuers[0] != p.url {
		t.Fatalf("the metadata of the route is %v", resource)
	}
	metadata := document(t, p.url+"/.well-known/oauth-authorization-server")
	endpoint := func(name string) string { text, _ := metadata[name].(string); return text }

	const callback = "http://127.0.0.1:9/callback"
	registered, text := do(t, http.DefaultClient, http.MethodPost, endpoint("registration_endpoint"), "application/json", `{"client_name":"Test","redirect_uris":["`+callback+`"],"token_endpoint_auth_method":"none"}`)
	var client struct {
		ID string `json:"client_id"`
	}
	if err := json.Unmarshal([]byte(text), &client); err != nil || registered.StatusCode != http.StatusCreated {
		t.Fatalf("the registration is %d %s", registered.StatusCode, text)
	}

	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	var answer *url.URL
	browser := &http.Client{Jar: jar, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		if strings.HasPrefix(r.URL.String(), callback) {
			answer = r.URL
			return http.ErrUseLastResponse
		}
		return nil
	}}
	query := url.Values{
		"response_type": {"code"}, "client_id": {client.ID}, "redirect_uri": {callback}, "state": {"s"}, "resource": {p.url + "/mcp/office/"}, "scope": {"mcp:use"},
		"code_challenge": {"E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"}, "code_challenge_method": {"S256"},
	}
	_, page := do(t, browser, http.MethodGet, endpoint("authorization_endpoint")+"?"+query.Encode(), "", "")
	for _, fields := range []url.Values{{"name": {"ana"}}, {"decision": {"approve"}, "scope": {"mcp:use"}}} {
		fields.Set("csrf", regexp.MustCompile(`name="csrf" value="([^"]*)"`).FindStringSubmatch(page)[1])
		action := html.UnescapeString(regexp.MustCompile(`action="([^"]*)"`).FindStringSubmatch(page)[1])
		_, page = do(t, browser, http.MethodPost, action, "application/x-www-form-urlencoded", fields.Encode(), "Origin", p.url)
	}
	if answer == nil || answer.Query().Get("state") != "s" || answer.Query().Get("iss") != p.url {
		t.Fatalf("the client is answered with %v: %s", answer, page)
	}

	form := url.Values{
		"grant_type": {"authorization_code"}, "client_id": {client.ID}, "code": {answer.Query().Get("code")}, "redirect_uri": {callback},
		"code_verifier": {"dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"}, "resource": {p.url + "/mcp/office"},
	}
	var tokens struct {
		Access  string `json:"access_token"`
		Refresh string `json:"refresh_token"`
	}
	_, text = do(t, http.DefaultClient, http.MethodPost, endpoint("token_endpoint"), "application/x-www-form-urlencoded", form.Encode(), "Origin", "https://inspector.example")
	if err := json.Unmarshal([]byte(text), &tokens); err != nil || tokens.Access == "" {
		t.Fatalf("the tokens are %s", text)
	}
	if w, text := p.call(t, tokens.Access); w.StatusCode != http.StatusOK || !strings.Contains(text, "ana with mcp:use") {
		t.Fatalf("the call is answered with %d %s", w.StatusCode, text)
	}

	if w, text := do(t, http.DefaultClient, http.MethodPost, endpoint("revocation_endpoint"), "application/x-www-form-urlencoded", url.Values{"client_id": {client.ID}, "token": {tokens.Refresh}}.Encode()); w.StatusCode != http.StatusOK {
		t.Fatalf("the revocation is answered with %d %s", w.StatusCode, text)
	}
	time.Sleep(4 * time.Second)
	if w, text := p.call(t, tokens.Access); w.StatusCode != http.StatusUnauthorized || !strings.Contains(w.Header.Get("WWW-Authenticate"), "The access token was revoked") {
		t.Errorf("after the revocation: %d %s", w.StatusCode, text)
	}
	for _, secret := range []string{tokens.Access, tokens.Refresh, answer.Query().Get("code")} {
		if strings.Contains(p.log.String(), secret) {
			t.Errorf("the log has %q", secret)
		}
	}
}

// Pages of other sites may get tokens for themselves, but not use the pages for users.
func TestOtherSitesMayUseOnlyThePublicEndpoints(t *testing.T) {
	t.Parallel()
	p := serve(t)
	for path, public := range map[string]bool{
		"/oauth/token": true, "/oauth/register": true, "/oauth/revoke": true, "/oauth/jwks": true, "/.well-known/oauth-authorization-server": true, "/.well-known/openid-configuration": true,
		"/oauth/authorize": false, "/oauth/login": false, "/oauth/consent": false, "/oauth/introspect": false,
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
