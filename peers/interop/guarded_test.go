package interop_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestGuarded sends the tokens of a real OpenID provider to guarded routes, and lets other
// projects' clients log in there.
func TestGuarded(t *testing.T) {
	p := startProvider(t)
	app := startGuarded(t, p)
	route := func(path string) string { return "http://" + app.addr + path }
	files := guardedRoute{url: route("/files"), subject: "ada", once: true, refreshed: func(_, after identity) bool { return strings.HasSuffix(after.Claims.Grant, "refresh_token") }}
	brief := files
	brief.url = route("/brief")
	t.Run("logins", func(t *testing.T) { testLogins(t, brief, files) })
	t.Run("refusal of typescript-v1", func(t *testing.T) { testRefusalOfTypeScriptV1(t, files) })
	t.Run("step-up of typescript-v1", func(t *testing.T) { testStepUpOfTypeScriptV1(t, files) })
	t.Run("logins of the inspector", func(t *testing.T) { testLoginsOfTheInspector(t, brief, files) })
	t.Run("tokens", func(t *testing.T) { testTokens(t, p, route) })
	t.Run("introspection", func(t *testing.T) { testIntrospection(t, p, route("/opaque")) })
}

// An identity is what the program's tools return: the principal of the call.
type identity struct {
	Subject string    `json:"subject"`
	Client  string    `json:"client"`
	Scopes  []string  `json:"scopes"`
	Expires time.Time `json:"expires"`
	Version string    `json:"version"` // of the protocol
	Claims  struct {
		// Grant is how the client got the token from oidc-provider. It ends with
		// refresh_token if it has refreshed it.
		Grant string `json:"grant"`
		// GrantID is that of the program's own authorization server. The tokens of one login
		// have the same, and each has its own ID.
		GrantID string `json:"gid"`
		ID      string `json:"jti"`
	} `json:"claims"`
}

func testTokens(t *testing.T, p *provider, route func(string) string) {
	t.Parallel()
	files, brief, opaque := route("/files"), route("/brief"), route("/opaque")
	right := p.login(t, files, "mcp:use")
	who, refused := whoami(t, files, right.Access)
	if refused != nil {
		t.Fatalf("the right token is refused: %v", refused)
	}
	if who.Subject != "ada" || who.Client != p.client || strings.Join(who.Scopes, " ") != "mcp:use" {
		t.Errorf("the principal is %+v", who)
	}

	expired := p.login(t, brief, "mcp:use").Access
	if who, refused = whoami(t, brief, expired); refused != nil {
		t.Fatalf("a token that has not expired is refused: %v", refused)
	}
	time.Sleep(time.Until(who.Expires))
	for name, wrong := range map[string]struct{ url, token, reason string }{
		"none":                         {files, "", ""},
		"altered":                      {files, altered(t, right.Access), "signature of the access token is wrong"},
		"for another resource":         {files, p.login(t, route("/other"), "mcp:use").Access, "not meant for this resource"},
		"expired":                      {brief, expired, "has expired"},
		"an ID token":                  {files, p.login(t, files, "openid", "mcp:use").ID, "not an access token"},
		"a refresh token":              {files, right.Refresh, "not a JSON Web Token"},
		"opaque, for signed ones":      {files, p.login(t, opaque, "mcp:use").Access, "not a JSON Web Token"},
		"signed, for an introspection": {opaque, right.Access, "does not introspect"},
	} {
		_, refused := whoami(t, wrong.url, wrong.token)
		if refused == nil || refused.status != http.StatusUnauthorized || !strings.Contains(refused.challenge, wrong.reason) {
			t.Errorf("a token that is %s: got %v, want 401 with %q", name, refused, wrong.reason)
		}
	}

	_, refused = whoami(t, files, p.login(t, files, "files:write").Access)
	if refused == nil || refused.status != http.StatusForbidden || !strings.Contains(refused.challenge, `scope="mcp:use files:write"`) {
		t.Errorf("a token without the scope of the route: got %v, want 403 with the scopes", refused)
	}
}

func testIntrospection(t *testing.T, p *provider, opaque string) {
	t.Parallel()
	right, other := p.login(t, opaque, "mcp:use").Access, p.login(t, opaque, "mcp:use").Access
	for _, token := range []string{right, other} {
		if who, refused := whoami(t, opaque, token); refused != nil || who.Subject != "ada" || who.Client != p.client {
			t.Fatalf("the right token: got %+v, %v", who, refused)
		}
	}
	if _, refused := whoami(t, opaque, right+"x"); refused == nil || refused.status != http.StatusUnauthorized {
		t.Errorf("an unknown token: got %v, want 401", refused)
	}
	p.revoke(t, right)
	var refused *refusal
	eventually(t, func() bool {
		_, refused = whoami(t, opaque, right)
		return refused != nil
	})
	if refused == nil || refused.status != http.StatusUnauthorized || !strings.Contains(refused.challenge, "expired or was revoked") {
		t.Errorf("a revoked token: got %v, want 401", refused)
	}
	if _, refused := whoami(t, opaque, other); refused != nil {
		t.Errorf("another token than the revoked one is refused: %v", refused)
	}
}

// A refusal is an answer that has a challenge.
type refusal struct {
	status    int
	challenge string
	body      string
}

func (r *refusal) String() string { return fmt.Sprintf("%d %s %s", r.status, r.challenge, r.body) }

// whoami calls the tool whoami with a token, without a library.
func whoami(t *testing.T, url, token string) (*identity, *refusal) {
	t.Helper()
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whoami","arguments":{},"_meta":{
		"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"interop","version":"1"},
		"io.modelcontextprotocol/clientCapabilities":{}}}}`
	request, err := http.NewRequestWithContext(testContext(t), http.MethodPost, url, strings.NewReader(call))
	if err != nil {
		t.Fatal(err)
	}
	request.Header = http.Header{
		"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {modern}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"whoami"},
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
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
	if response.StatusCode != http.StatusOK {
		return nil, &refusal{response.StatusCode, response.Header.Get("WWW-Authenticate"), string(body)}
	}
	var answer struct {
		Result struct {
			Who *identity `json:"structuredContent"`
		} `json:"result"`
	}
	if err := json.Unmarshal(body, &answer); err != nil || answer.Result.Who == nil {
		t.Fatalf("%s: %v", body, err)
	}
	return answer.Result.Who, nil
}

// altered returns a token with another scope under the signature of the first.
func altered(t *testing.T, token string) string {
	t.Helper()
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		t.Fatalf("the token has %d parts", len(parts))
	}
	claims, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		t.Fatal(err)
	}
	parts[1] = base64.RawURLEncoding.EncodeToString([]byte(strings.Replace(string(claims), `"mcp:use"`, `"mcp:use files:write"`, 1)))
	return strings.Join(parts, ".")
}
