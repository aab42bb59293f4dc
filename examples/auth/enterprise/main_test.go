package main

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/auth/authtest"
	"github.com/bowline-mcp/bowline/framework/mcp"

	"github.com/bowline-mcp/bowline/examples/auth/client"
)

// A client of the company presents the provider's assertion about ana, and gets a token for the
// scopes that the assertion has. Another company's assertion is refused.
func TestAnAssertionOfTheCompanyIsExchangedForAToken(t *testing.T) {
	t.Parallel()
	company, other := authtest.For(t, authtest.Okta), authtest.For(t, authtest.Okta)
	web := httptest.NewUnstartedServer(nil)
	app := newApp(mcp.Config{Addr: web.Listener.Addr().String(), Logger: slog.New(slog.NewTextHandler(t.Output(), nil))}, t.TempDir(), company.URL())
	var out bytes.Buffer
	if code := app.Run(t.Context(), []string{"client:create", "desk", "--enterprise"}, strings.NewReader(""), &out, t.Output()); code != 0 {
		t.Fatalf("client:create ends with %d", code)
	}
	credentials := regexp.MustCompile(`client_(?:id|secret) +(\S+)`).FindAllStringSubmatch(out.String(), -1)
	if len(credentials) != 2 {
		t.Fatalf("client:create prints %s", out.String())
	}
	id, secret := credentials[0][1], credentials[1][1]
	handler, err := app.Handler()
	if err != nil {
		t.Fatal(err)
	}
	web.Config.Handler = handler
	web.Start()
	t.Cleanup(func() { web.Close(); app.Close() })

	exchange := func(provider *authtest.Issuer) (status int, token string) {
		t.Helper()
		assertion := provider.Token(web.URL, authtest.Type("oauth-id-jag+jwt"), authtest.Claim("aud", web.URL), authtest.Claim("client_id", id), authtest.Claim("jti", rand.Text()),
			authtest.Claim("resource", web.URL+"/mcp/notes"), authtest.Claim("scope", "notes:read"), authtest.Claim("email", "ana@example.com"))
		response, err := http.PostForm(web.URL+"/oauth/token", url.Values{
			"grant_type": {"urn:ietf:params:oauth:grant-type:jwt-bearer"}, "assertion": {assertion}, "client_id": {id}, "client_secret": {secret},
		})
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
	_, token := exchange(company)
	if status, answer, err := client.Call(t.Context(), web.URL+"/mcp/notes", token, "list-notes", nil); err != nil || !strings.Contains(answer, `"structuredContent":{"notes":[]}`) {
		t.Errorf("list-notes: %d %s %v", status, answer, err)
	}
	if status, answer, err := client.Call(t.Context(), web.URL+"/mcp/notes", token, "add-note", map[string]any{"text": "Buy rope."}); err != nil || status != http.StatusForbidden {
		t.Errorf("add-note: %d %s %v, want 403", status, answer, err)
	}
	if status, token := exchange(other); status != http.StatusBadRequest || token != "" {
		t.Errorf("an assertion of another company gets %d %s", status, token)
	}
}
