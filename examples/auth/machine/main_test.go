package main

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/jose"
	"github.com/bowline-mcp/bowline/framework/mcp"

	"github.com/bowline-mcp/bowline/examples/auth/client"
)

// A program serves the example at a URL.
type program struct {
	url string
	app *mcp.App
}

func serve(t *testing.T) program {
	t.Helper()
	web := httptest.NewUnstartedServer(nil)
	app := newApp(mcp.Config{Addr: web.Listener.Addr().String(), Logger: slog.New(slog.NewTextHandler(t.Output(), nil))}, t.TempDir())
	handler, err := app.Handler()
	if err != nil {
		t.Fatal(err)
	}
	web.Config.Handler = handler
	web.Start()
	t.Cleanup(func() { web.Close(); app.Close() })
	return program{web.URL, app}
}

// create makes a client, and returns its ID and its secret, if it has one.
func (p program) create(t *testing.T, args ...string) (id, secret string) {
	t.Helper()
	var out bytes.Buffer
	if code := p.app.Run(t.Context(), append([]string{"client:create"}, args...), strings.NewReader(""), &out, t.Output()); code != 0 {
		t.Fatalf("client:create ends with %d", code)
	}
	found := regexp.MustCompile(`client_(?:id|secret) +(\S+)`).FindAllStringSubmatch(out.String(), -1)
	if len(found) == 0 {
		t.Fatalf("client:create prints %s", out.String())
	}
	return found[0][1], found[len(found)-1][1]
}

// token gets an access token (RFC 6749, section 4.4).
func (p program) token(t *testing.T, form url.Values) (status int, token string) {
	t.Helper()
	form.Set("grant_type", "client_credentials")
	response, err := http.PostForm(p.url+"/oauth/token", form)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close() //nolint:errcheck // read
	var answer struct {
		Token string `json:"access_token"`
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, answer.Token
}

// lists fails the test unless a token lists the notes, and adds none.
func (p program) lists(t *testing.T, token string) {
	t.Helper()
	if status, answer, err := client.Call(t.Context(), p.url+"/mcp/notes", token, "list-notes", nil); err != nil || !strings.Contains(answer, `"structuredContent":{"notes":[]}`) {
		t.Errorf("list-notes: %d %s %v", status, answer, err)
	}
	if status, answer, err := client.Call(t.Context(), p.url+"/mcp/notes", token, "add-note", map[string]any{"text": "Buy rope."}); err != nil || status != http.StatusForbidden {
		t.Errorf("add-note: %d %s %v, want 403", status, answer, err)
	}
}

func TestAProgramCallsWithASecret(t *testing.T) {
	t.Parallel()
	p := serve(t)
	id, secret := p.create(t, "reports", "--machine", "--scope", "notes:read")
	_, token := p.token(t, url.Values{"client_id": {id}, "client_secret": {secret}})
	p.lists(t, token)
	if status, _ := p.token(t, url.Values{"client_id": {id}, "client_secret": {"wrong"}}); status != http.StatusUnauthorized {
		t.Errorf("with a wrong secret: %d", status)
	}
}

// The program has the private key, and the server only the public one.
func TestAProgramCallsWithAKey(t *testing.T) {
	t.Parallel()
	p := serve(t)
	key, err := jose.GenerateKey(jose.ES256)
	if err != nil {
		t.Fatal(err)
	}
	set, err := json.Marshal(map[string]any{"keys": []jose.Key{key.Public()}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "reports.jwks.json")
	if err := os.WriteFile(file, set, 0o600); err != nil {
		t.Fatal(err)
	}
	id, _ := p.create(t, "reports", "--machine", "--scope", "notes:read", "--jwks", file)
	now := time.Now()
	assertion, err := key.Sign("JWT", map[string]any{"iss": id, "sub": id, "aud": p.url, "jti": rand.Text(), "iat": now.Unix(), "exp": now.Add(time.Minute).Unix()})
	if err != nil {
		t.Fatal(err)
	}
	form := url.Values{"client_assertion_type": {"urn:ietf:params:oauth:client-assertion-type:jwt-bearer"}, "client_assertion": {assertion}}
	_, token := p.token(t, form)
	p.lists(t, token)
	if status, _ := p.token(t, form); status != http.StatusUnauthorized {
		t.Errorf("with the same assertion again: %d", status)
	}
}
