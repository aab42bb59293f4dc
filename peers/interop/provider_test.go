package interop_test

import (
	"bufio"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A provider is a process of node/provider.mjs: oidc-provider, which logs everybody in as
// "ada".
type provider struct {
	Issuer       string `json:"issuer"`
	Introspector struct {
		ID     string `json:"id"`
		Secret string `json:"secret"`
	} `json:"introspector"`

	client string // that login gets tokens for
}

// redirectURL is where the provider sends browsers. Nobody listens there.
const redirectURL = "http://127.0.0.1/callback"

// tokens are what the provider returns to a client.
type tokens struct {
	Access  string `json:"access_token"`
	Refresh string `json:"refresh_token"`
	ID      string `json:"id_token"`
	Seconds int    `json:"expires_in"`
}

// startProvider starts the provider. It ends with the test.
func startProvider(t *testing.T) *provider {
	t.Helper()
	requireNode(t, "oidc-provider")
	p, log := &provider{}, &lockedBuffer{}
	cmd := exec.Command("node", "provider.mjs")
	cmd.Dir = "node"
	cmd.Stderr = log
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close() // ends it
		if err := cmd.Wait(); err != nil {
			t.Errorf("the provider ended with %v", err)
		}
		if t.Failed() {
			t.Logf("what the provider logged:\n%s", log.String())
		}
	})
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	if err != nil {
		t.Fatalf("the provider does not listen: %v\n%s", err, log.String())
	}
	if err := json.Unmarshal(line, p); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	var registered struct {
		ID string `json:"client_id"`
	}
	p.send(t, "/reg", "application/json", `{"redirect_uris":["`+redirectURL+`"],"application_type":"native","token_endpoint_auth_method":"none",
		"grant_types":["authorization_code","refresh_token"]}`, &registered)
	p.client = registered.ID
	return p
}

// startGuarded starts the program of guarded routes, which accepts the provider's tokens.
func startGuarded(t *testing.T, p *provider) *program {
	t.Helper()
	return start(t, filepath.Join("peers", "guarded"), "ISSUER="+p.Issuer, "CLIENT_ID="+p.Introspector.ID, "CLIENT_SECRET="+p.Introspector.Secret)
}

// login returns tokens for a resource.
func (p *provider) login(t *testing.T, resource string, scopes ...string) tokens {
	t.Helper()
	const verifier = "a-verifier-that-has-at-least-43-characters-as-needed"
	challenge := sha256.Sum256([]byte(verifier))
	query := url.Values{
		"response_type": {"code"}, "client_id": {p.client}, "redirect_uri": {redirectURL}, "scope": {strings.Join(scopes, " ")}, "resource": {resource},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(challenge[:])}, "code_challenge_method": {"S256"},
	}
	answer, err := browse(testContext(t), p.Issuer+"/auth?"+query.Encode())
	if err != nil {
		t.Fatal(err)
	}
	var got tokens
	p.send(t, "/token", "application/x-www-form-urlencoded", url.Values{
		"grant_type": {"authorization_code"}, "client_id": {p.client}, "redirect_uri": {redirectURL}, "code": {answer.Get("code")},
		"code_verifier": {verifier}, "resource": {resource},
	}.Encode(), &got)
	return got
}

// revoke revokes a token.
func (p *provider) revoke(t *testing.T, token string) {
	t.Helper()
	p.send(t, "/token/revocation", "application/x-www-form-urlencoded", url.Values{"client_id": {p.client}, "token": {token}}.Encode(), nil)
}

// send posts a body to the provider, and decodes its answer.
func (p *provider) send(t *testing.T, path, contentType, body string, into any) {
	t.Helper()
	response, err := http.Post(p.Issuer+path, contentType, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	data, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode >= 300 {
		t.Fatalf("POST %s: %s %s, %v", path, response.Status, data, err)
	}
	if into == nil {
		return
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("POST %s: %s: %v", path, data, err)
	}
}
