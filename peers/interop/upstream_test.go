package interop_test

import (
	"encoding/json"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestUpstream logs in to an example's own authorization server through a real OpenID provider.
// The ID tokens have no e-mail address, only the userinfo endpoint does.
func TestUpstream(t *testing.T) {
	p := startProvider(t)
	var registered struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
	}
	p.send(t, "/reg", "application/json", `{"redirect_uris":["http://127.0.0.1/oauth/callback"],"application_type":"native","token_endpoint_auth_method":"client_secret_basic"}`, &registered)
	app := start(t, filepath.Join("examples", "auth", "upstream"), "ISSUER="+p.Issuer, "CLIENT_ID="+registered.ID, "CLIENT_SECRET="+registered.Secret, "ALLOWED_EMAILS=ada@example.com")
	ours, route := &provider{Issuer: "http://" + app.addr}, "http://"+app.addr+"/mcp/notes"

	token := ours.loginUpstream(t, route)
	if status, answer := addNote(t, route, token); status != http.StatusOK || !strings.Contains(answer, "ada@example.com added the note.") {
		t.Errorf("the call returns %d %s", status, answer)
	}
	theirs := p.login(t, route, "openid", "mcp:use")
	for what, token := range map[string]string{"an access token of the provider": theirs.Access, "an ID token of the provider": theirs.ID} {
		if status, answer := addNote(t, route, token); token == "" || status != http.StatusUnauthorized {
			t.Errorf("%s gets %d %s", what, status, answer)
		}
	}
}

var (
	formAction = regexp.MustCompile(`action="([^"]*)"`)
	formToken  = regexp.MustCompile(`name="csrf" value="([^"]*)"`)
)

// loginUpstream returns an access token of a server of ours. It presses the button of the login
// page, is logged in by the provider, and consents.
func (p *provider) loginUpstream(t *testing.T, resource string) string {
	t.Helper()
	var client struct {
		ID string `json:"client_id"`
	}
	p.send(t, "/oauth/register", "application/json", `{"redirect_uris":["`+redirectURL+`"],"token_endpoint_auth_method":"none"}`, &client)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	var answer url.Values
	browser := &http.Client{Jar: jar, Timeout: time.Minute, CheckRedirect: func(next *http.Request, _ []*http.Request) error {
		if strings.HasPrefix(next.URL.String(), redirectURL) {
			answer = next.URL.Query()
			return http.ErrUseLastResponse
		}
		return nil
	}}
	open := func(method, address string, form url.Values) string {
		t.Helper()
		request, err := http.NewRequestWithContext(testContext(t), method, address, strings.NewReader(form.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		request.Header = http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "Origin": {p.Issuer}}
		_, page := do(t, browser, request)
		return page
	}
	page := open(http.MethodGet, p.Issuer+"/oauth/authorize?"+url.Values{
		"response_type": {"code"}, "client_id": {client.ID}, "redirect_uri": {redirectURL}, "resource": {resource}, "scope": {"notes:read notes:write"},
		"code_challenge": {"E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"}, "code_challenge_method": {"S256"},
	}.Encode(), nil)
	for _, form := range []url.Values{{}, {"decision": {"approve"}, "scope": {"notes:read", "notes:write"}}} {
		action, token := formAction.FindStringSubmatch(page), formToken.FindStringSubmatch(page)
		if action == nil || token == nil {
			t.Fatalf("the page has no form: %s", page)
		}
		form.Set("csrf", token[1])
		page = open(http.MethodPost, html.UnescapeString(action[1]), form)
	}
	if answer.Get("code") == "" {
		t.Fatalf("the client is answered with %v: %s", answer, page)
	}
	var got tokens
	p.send(t, "/oauth/token", "application/x-www-form-urlencoded", url.Values{
		"grant_type": {"authorization_code"}, "client_id": {client.ID}, "redirect_uri": {redirectURL}, "code": {answer.Get("code")},
		"code_verifier": {"dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"},
	}.Encode(), &got)
	return got.Access
}

// addNote calls a tool of the example.
func addNote(t *testing.T, route, token string) (status int, answer string) {
	t.Helper()
	call, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{
		"name": "add-note", "arguments": map[string]any{"text": "Buy rope."},
		"_meta": map[string]any{"io.modelcontextprotocol/protocolVersion": modern, "io.modelcontextprotocol/clientCapabilities": map[string]any{}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(testContext(t), http.MethodPost, route, strings.NewReader(string(call)))
	if err != nil {
		t.Fatal(err)
	}
	request.Header = http.Header{
		"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Authorization": {"Bearer " + token},
		"Mcp-Protocol-Version": {modern}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"add-note"},
	}
	return do(t, http.DefaultClient, request)
}

// do sends a request, and returns the status and the body of the answer.
func do(t *testing.T, client *http.Client, request *http.Request) (status int, body string) {
	t.Helper()
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}
