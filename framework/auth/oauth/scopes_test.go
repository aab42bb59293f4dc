package oauth

import (
	"encoding/json"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/internal/wellknown"
)

var shownScopes = regexp.MustCompile(`name="scope" value="([^"]*)"`)

func TestAClientThatAsksForNoScopesGetsTheDefaultOnes(t *testing.T) {
	t.Parallel()
	for what, test := range map[string]struct {
		all      map[string]string
		defaults []string
		want     []string
	}{
		"those of the configuration": {map[string]string{"mcp:use": "Use", "files:read": "Read", "files:write": "Write"}, []string{"files:write", "files:read"}, []string{"files:write", "files:read"}},
		"mcp:use":                    {map[string]string{"mcp:use": "Use", "files:write": "Write"}, nil, []string{"mcp:use"}},
		"all without mcp:use":        {map[string]string{"files:write": "Write", "files:read": "Read"}, nil, []string{"files:read", "files:write"}},
		"mcp:use alone":              {nil, nil, []string{"mcp:use"}},
	} {
		p := newProvider(t, func(c *Config, _ *mcp.Site) { c.Scopes, c.DefaultScopes = test.all, test.defaults })
		b := p.browser()
		consent := b.toConsent(t, request("app", callback, "scope", ""))
		var shown []string
		for _, scope := range shownScopes.FindAllStringSubmatch(consent.Body.String(), -1) {
			shown = append(shown, scope[1])
		}
		code := b.submit(consent, url.Values{"decision": {"approve"}, "scope": shown}).toClient(t, callback).Get("code")
		tokens := answerOf(t, p.post(tokenPath, url.Values{"grant_type": {grantCode}, "client_id": {"app"}, "code": {code}, "code_verifier": {rfcVerifier}}))
		if !slices.Equal(shown, test.want) || tokens.Scope != strings.Join(test.want, " ") {
			t.Errorf("%s: the page shows %v, and the token has %q; want %v", what, shown, tokens.Scope, test.want)
		}
		var metadata struct {
			Scopes []string `json:"scopes_supported"`
		}
		if err := json.Unmarshal(p.get(t, http.MethodGet, wellknown.ServerPaths("")[0]).Body.Bytes(), &metadata); err != nil || !slices.Equal(metadata.Scopes, append(test.want, "offline_access")) {
			t.Errorf("%s: the metadata have the scopes %v, %v", what, metadata.Scopes, err)
		}
		if answer := answerOf(t, p.post(tokenPath, identityForm(p.vouches(t, "desk", "scope", nil)), basic("desk", secret))); answer.Scope != strings.Join(test.want, " ") {
			t.Errorf("%s: an assertion without scopes gets %q", what, answer.Scope)
		}
	}
}

// The names of scopes say little to users.
func TestAUserReadsWhatAScopeAllowsInsteadOfItsName(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *Config, _ *mcp.Site) {
		c.Scopes = map[string]string{"mcp:use": "Use the tools", "files:write": ""} // which has no text
	})
	b := f.browser()
	consent := b.toConsent(t, request("app", callback))
	if !strings.Contains(consent.Body.String(), `name="scope" value="mcp:use"`) {
		t.Errorf("the page can't send the scope: %s", consent.Body)
	}
	b.submit(consent, url.Values{"decision": {"approve"}, "scope": {"mcp:use", "files:write"}}).toClient(t, callback)
	for what, page := range map[string]view{"the consent page": consent, "the account page": b.open(issuer + accountPath)} {
		text := html.UnescapeString(tag.ReplaceAllString(page.Body.String(), "\n"))
		for shown, want := range map[string]bool{"Use the tools": true, "mcp:use": false, "files:write": true} {
			if strings.Contains(text, shown) != want {
				t.Errorf("%s shows %q: %v; want %v:\n%s", what, shown, !want, want, text)
			}
		}
	}
}
