package upstream_test

import (
	"encoding/json"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// clientCallback is where the client gets its code. Nobody listens there.
const clientCallback = "http://127.0.0.1:9/callback"

// A browser visits a program and its provider, one redirect at a time.
type browser struct {
	t *testing.T
	*program
	client   *http.Client
	clientID string
}

// A view is the answer to a request of a browser.
type view struct {
	status         int
	location, body string
	header         http.Header
}

// browser returns a browser whose user has a registered client.
func (p *program) browser(t *testing.T) *browser {
	t.Helper()
	b := &browser{t: t, program: p}
	b.forget()
	w, err := http.Post(p.url+"/oauth/register", "application/json", strings.NewReader(`{"client_name":"Test <app>","redirect_uris":["`+clientCallback+`"],"token_endpoint_auth_method":"none"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Body.Close() //nolint:errcheck // a test
	var registered struct {
		ID string `json:"client_id"`
	}
	if err := json.NewDecoder(w.Body).Decode(&registered); err != nil || registered.ID == "" {
		t.Fatalf("the registration is answered with %s, %v", w.Status, err)
	}
	b.clientID = registered.ID
	return b
}

// forget gives the browser new cookies.
func (b *browser) forget() {
	jar := must(cookiejar.New(nil))
	b.client = &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// send sends a request without following a redirect.
func (b *browser) send(method, address string, fields url.Values) view {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), method, address, strings.NewReader(fields.Encode()))
	if err != nil {
		b.t.Fatal(err)
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", b.url)
	}
	w, err := b.client.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer w.Body.Close() //nolint:errcheck // a test
	body, err := io.ReadAll(w.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return view{w.StatusCode, w.Header.Get("Location"), html.UnescapeString(style.ReplaceAllString(string(body), "")), w.Header}
}

func (b *browser) get(address string) view {
	b.t.Helper()
	return b.send(http.MethodGet, address, nil)
}

// follow opens the page that an answer leads to.
func (b *browser) follow(v view) view {
	b.t.Helper()
	if v.location == "" {
		b.t.Fatalf("the answer leads nowhere: %d %s\n%s", v.status, v.body, b.log)
	}
	return b.get(v.location)
}

var hidden, action = regexp.MustCompile(`name="csrf" value="([^"]*)"`), regexp.MustCompile(`action="([^"]*)"`)

var style = regexp.MustCompile(`(?s)<head>.*</head>`)

// submit submits the form of a page.
func (b *browser) submit(page view, fields url.Values) view {
	b.t.Helper()
	token, target := hidden.FindStringSubmatch(page.body), action.FindStringSubmatch(page.body)
	if token == nil || target == nil {
		b.t.Fatalf("the page has no form: %d %s", page.status, page.body)
	}
	sent := url.Values{"csrf": {token[1]}}
	for name, values := range fields {
		sent[name] = values
	}
	return b.send(http.MethodPost, target[1], sent)
}

// loginPage opens the login page for an authorization request of the client.
func (b *browser) loginPage() view {
	b.t.Helper()
	query := url.Values{
		"response_type": {"code"}, "client_id": {b.clientID}, "redirect_uri": {clientCallback}, "state": {"the client's"}, "resource": {b.url + "/mcp/office"}, "scope": {"mcp:use"},
		"code_challenge": {"E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"}, "code_challenge_method": {"S256"},
	}
	return b.follow(b.get(b.url + "/oauth/authorize?" + query.Encode()))
}

// toProvider presses the button, and returns the URL of the authorization request.
func (b *browser) toProvider() string {
	b.t.Helper()
	v := b.submit(b.loginPage(), nil)
	if v.status != http.StatusSeeOther {
		b.t.Fatalf("the button leads to %d %s %s", v.status, v.location, v.body)
	}
	return v.location
}

// toCallback logs in at the provider, and returns the URL that the provider sends the browser
// back to.
func (b *browser) toCallback() string {
	b.t.Helper()
	v := b.get(b.toProvider())
	if !strings.HasPrefix(v.location, b.url+"/oauth/callback?") {
		b.t.Fatalf("the provider leads to %d %s %s", v.status, v.location, v.body)
	}
	return v.location
}

// tokens are those of a client.
type tokens struct {
	Access  string `json:"access_token"`
	Refresh string `json:"refresh_token"`
	Error   string `json:"error"`
}

// login logs in, consents, and returns the tokens of the client.
func (b *browser) login() tokens {
	b.t.Helper()
	v := b.get(b.toCallback())
	if v.status != http.StatusSeeOther || !strings.HasPrefix(v.location, b.url+"/oauth/consent?") {
		b.t.Fatalf("the callback leads to %d %s %s", v.status, v.location, v.body)
	}
	v = b.submit(b.get(v.location), url.Values{"decision": {"approve"}, "scope": {"mcp:use"}})
	answer, err := url.Parse(v.location)
	if err != nil || !strings.HasPrefix(v.location, clientCallback+"?") || answer.Query().Get("code") == "" {
		b.t.Fatalf("the consent leads to %d %s %s", v.status, v.location, v.body)
	}
	return b.token(url.Values{
		"grant_type": {"authorization_code"}, "code": {answer.Query().Get("code")}, "redirect_uri": {clientCallback}, "code_verifier": {"dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"},
	})
}

// token sends a request to the token endpoint.
func (b *browser) token(fields url.Values) (found tokens) {
	b.t.Helper()
	fields.Set("client_id", b.clientID)
	if err := json.Unmarshal([]byte(b.send(http.MethodPost, b.url+"/oauth/token", fields).body), &found); err != nil {
		b.t.Fatal(err)
	}
	return found
}

const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whoami","arguments":{},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`

// call calls the tool and returns the body of the answer.
func (p *program) call(t *testing.T, token string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.url+"/mcp/office", strings.NewReader(call))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Authorization": "Bearer " + token, "Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "whoami",
	} {
		r.Header.Set(name, value)
	}
	w, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Body.Close() //nolint:errcheck // a test
	body, err := io.ReadAll(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	return w.Status + " " + string(body)
}

// isRefused fails the test unless a page has a status and a text, leads nowhere, and shows no
// secret.
func (v view) isRefused(t *testing.T, what string, status int, text string) {
	t.Helper()
	if v.status != status || v.location != "" || !strings.Contains(v.body, text) || v.header.Get("Content-Security-Policy") == "" {
		t.Errorf("%s: the answer is %d to %q: %s\nwant %d with %q", what, v.status, v.location, v.body, status, text)
	}
}
