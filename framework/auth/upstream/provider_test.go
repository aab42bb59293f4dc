package upstream_test

import (
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/auth/oauth"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store/memory"
	"github.com/bowline-mcp/bowline/framework/auth/upstream"
)

// mistakes returns the mistakes with which a program doesn't start.
func mistakes(t *testing.T, provider *upstream.Provider) string {
	t.Helper()
	_, err := oauth.New(oauth.Config{Authenticator: provider, Store: "memory:", Drivers: []store.Driver{memory.Driver()}}).Endpoints("")
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestMistakesKeepTheProgramFromStarting(t *testing.T) {
	t.Parallel()
	right := upstream.Config{ClientID: "app", ClientSecret: "secret", Allow: upstream.Anyone()}
	for name, tt := range map[string]struct {
		provider func(upstream.Config) *upstream.Provider
		change   func(*upstream.Config)
		want     string
	}{
		"no secret":              {upstream.GitHub, func(c *upstream.Config) { c.ClientSecret = "" }, "upstream.GitHub: Config.ClientID or ClientSecret is missing; register an app at the provider with the redirect URI <URL of the program>/oauth/callback"},
		"no ID":                  {upstream.Google, func(c *upstream.Config) { c.ClientID = "" }, "upstream.Google: Config.ClientID or ClientSecret is missing"},
		"no rule":                {upstream.GitHub, func(c *upstream.Config) { c.Allow = nil }, `Config.Allow is missing; set it to a rule for the users who may log in, such as upstream.Emails("ana@example.com"), upstream.Domain("example.com") or upstream.Anyone()`},
		"no issuer":              {upstream.OIDC, func(*upstream.Config) {}, `upstream.OIDC: Config.URL "": it is not an https URL`},
		"an issuer on http":      {upstream.OIDC, func(c *upstream.Config) { c.URL = "http://login.example.com" }, "it must be an https URL; http is allowed on loopback"},
		"an issuer with a query": {upstream.OIDC, func(c *upstream.Config) { c.URL = "https://login.example.com/?a" }, "an issuer has no query"},
		"a path as the issuer":   {upstream.OIDC, func(c *upstream.Config) { c.URL = "login.example.com" }, "it is not an https URL"},
		"GitHub with a user":     {upstream.GitHub, func(c *upstream.Config) { c.URL = "https://a:b@git.example.com" }, "it must not have a user or a fragment"},
		"Google elsewhere":       {upstream.Google, func(c *upstream.Config) { c.URL = "https://login.example.com" }, "Google has a fixed one; remove it, or use upstream.OIDC"},
		"two scopes as one":      {upstream.GitHub, func(c *upstream.Config) { c.Scopes = []string{"repo gist"} }, `Config.Scopes has "repo gist"; give each scope as a text of its own`},
		"no key":                 {upstream.GitHub, func(c *upstream.Config) { c.Keep = true }, "Config.Keep is set, but Key (APP_KEY) is missing, which seals the tokens; make one with: openssl rand -hex 32"},
		"a short key":            {upstream.GitHub, func(c *upstream.Config) { c.Keep, c.Key = true, []string{key, "hunter2"} }, "a Config.Key (APP_KEY) has fewer than 16 characters"},
	} {
		config := right
		tt.change(&config)
		if got := mistakes(t, tt.provider(config)); !strings.Contains(got, tt.want) || strings.Contains(got, "hunter2") {
			t.Errorf("%s: the mistakes are %q, want %q in them", name, got, tt.want)
		}
	}
	for _, url := range []string{"http://127.0.0.1:8080/realms/staff", "http://localhost:1", "https://login.example.com/realms/staff"} {
		config := right
		config.URL = url
		if got := mistakes(t, upstream.OIDC(config)) + mistakes(t, upstream.GitHub(config)); got != "" {
			t.Errorf("%s: the mistakes are %s", url, got)
		}
	}
}

func TestTheLoginPageNamesTheProvider(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	unnamed := func(c *upstream.Config) { c.Name = "" }
	for want, provider := range map[string]*upstream.Provider{
		"Log in with " + strings.TrimPrefix(f.url, "http://"): f.oidc(unnamed), "Log in with GitHub": f.gitHub(unnamed), "Log in with Fake": f.gitHub(),
	} {
		if page := serve(t, provider).browser(t).loginPage(); !strings.Contains(page.body, want) {
			t.Errorf("the page lacks %q: %s", want, page.body)
		}
	}
}
