package upstream_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/auth/upstream"
)

func TestRulesSayWhoMayLogIn(t *testing.T) {
	t.Parallel()
	ana := upstream.Identity{Issuer: "https://login.example.com", Subject: "1", Name: "boss@example.com", Emails: []string{"ana@example.com", "ana@home.test"}}
	workspace := func(domain any) upstream.Identity {
		return upstream.Identity{Issuer: "https://accounts.google.com", Subject: "1", Emails: []string{"ana@example.com"}, Claims: map[string]any{"hd": domain}}
	}
	nobody := upstream.Identity{Issuer: "https://login.example.com", Subject: "2", Name: "ana@example.com", Claims: map[string]any{"email": "ana@example.com", "hd": "example.com"}}
	for name, tt := range map[string]struct {
		rule upstream.Rule
		user upstream.Identity
		want bool
	}{
		"anyone":                           {upstream.Anyone(), nobody, true},
		"an address":                       {upstream.Emails("eve@example.com", "ana@example.com"), ana, true},
		"a second address":                 {upstream.Emails("ana@home.test"), ana, true},
		"an address in capitals":           {upstream.Emails("Ana@Example.COM"), ana, true},
		"another address":                  {upstream.Emails("bob@example.com"), ana, false},
		"a name instead of an address":     {upstream.Emails("boss@example.com"), ana, false},
		"an address that is not verified":  {upstream.Emails("ana@example.com"), nobody, false},
		"no address":                       {upstream.Emails(), ana, false},
		"an empty address":                 {upstream.Emails(""), upstream.Identity{Emails: []string{""}}, false},
		"an address in other letters":      {upstream.Emails("kim@example.com"), upstream.Identity{Emails: []string{"\u212aim@example.com"}}, false},
		"a domain":                         {upstream.Domain("example.com"), ana, true},
		"a domain in capitals":             {upstream.Domain("EXAMPLE.com"), ana, true},
		"a subdomain":                      {upstream.Domain("example.com"), upstream.Identity{Emails: []string{"ana@evil.example.com"}}, false},
		"a domain that ends like it":       {upstream.Domain("example.com"), upstream.Identity{Emails: []string{"ana@evilexample.com"}}, false},
		"a domain in front":                {upstream.Domain("example.com"), upstream.Identity{Emails: []string{"ana@example.com@evil.test"}}, false},
		"a domain that is not verified":    {upstream.Domain("example.com"), nobody, false},
		"a domain that is missing":         {upstream.Domain(""), nobody, false},
		"a domain that is missing, Google": {upstream.Domain(""), workspace(nil), false},
		"a workspace":                      {upstream.Domain("example.com"), workspace("example.com"), true},
		"an address beside the workspace":  {upstream.Domain("example.com"), workspace(nil), false},
		"another workspace":                {upstream.Domain("example.com"), workspace("evil.test"), false},
	} {
		if allowed, err := tt.rule(t.Context(), tt.user); allowed != tt.want || err != nil {
			t.Errorf("%s: the rule returns %t, %v", name, allowed, err)
		}
	}
}

func TestAUserWhoIsRefusedSeesWhy(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	for who, tt := range map[string]struct {
		provider *upstream.Provider
		id       string
	}{
		"ana@example.com": {f.oidc(func(c *upstream.Config) { c.Allow = upstream.Emails("secret-boss@example.com") }), f.url + "|1098"},
		"octocat":         {f.gitHub(func(c *upstream.Config) { c.Allow = upstream.Emails("boss@example.com") }), f.url + "/login/oauth|583231"},
	} {
		p := serve(t, tt.provider)
		b := p.browser(t)
		page := b.get(b.toCallback())
		page.isRefused(t, who, http.StatusForbidden, who+" may not use this server. Ask its operator for access, or log in as another user.")
		if strings.Contains(page.body, "boss") || !strings.Contains(p.log.String(), "refuses the user "+tt.id+" ("+who+")") {
			t.Errorf("%s: the page is %s, the log %s", who, page.body, p.log)
		}
		if again := b.loginPage(); again.status != http.StatusOK {
			t.Errorf("%s is logged in: the login page leads to %s", who, again.location)
		}
	}
}

// A GitHub user is found by a verified address that is not the first one.
func TestAnyVerifiedAddressOfAGitHubUserCounts(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	if got := serve(t, f.gitHub(func(c *upstream.Config) { c.Allow = upstream.Emails("octo.cat@example.com") })).browser(t).login(); got.Access == "" {
		t.Error("there is no token")
	}
	for _, status := range []int{http.StatusForbidden, http.StatusNotFound} {
		f.set(func() {
			f.replaced["/api/v3/user/emails"] = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
		})
		var got upstream.Identity
		p := serve(t, f.gitHub(func(c *upstream.Config) {
			c.Allow = func(_ context.Context, user upstream.Identity) (bool, error) { got = user; return true, nil }
		}))
		p.browser(t).login()
		if got.ID() != f.url+"/login/oauth|583231" || got.Name != "octocat" || got.Emails != nil || got.Claims["name"] != "The Octocat" {
			t.Errorf("with a secret address the user is %v", got)
		}
	}
}

func TestARuleThatFailsLetsNobodyIn(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	p := serve(t, f.oidc(func(c *upstream.Config) {
		c.Allow = func(context.Context, upstream.Identity) (bool, error) {
			return true, errors.New("the directory is down")
		}
	}))
	b := p.browser(t)
	b.get(b.toCallback()).isRefused(t, "a failure", http.StatusInternalServerError, "The server failed")
	if !strings.Contains(p.log.String(), "the directory is down") {
		t.Errorf("the log is %s", p.log)
	}
}

// Somebody who is refused later gets no new tokens.
func TestTheRuleIsAskedWhenAClientRenewsItsTokens(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	var refused atomic.Bool
	b := serve(t, f.oidc(func(c *upstream.Config) {
		c.Allow = func(_ context.Context, user upstream.Identity) (bool, error) {
			return !refused.Load() && user.Emails[0] == "ana@example.com" && user.Claims["sub"] == "1098", nil
		}
	})).browser(t)
	got := b.login()
	got = b.token(url.Values{"grant_type": {"refresh_token"}, "refresh_token": {got.Refresh}})
	if got.Refresh == "" {
		t.Fatalf("the renewal is answered with %v", got)
	}
	refused.Store(true)
	if got := b.token(url.Values{"grant_type": {"refresh_token"}, "refresh_token": {got.Refresh}}); got.Error != "invalid_grant" || got.Access != "" {
		t.Errorf("the renewal is answered with %v", got)
	}
}

// When a program changes its provider, the users of the old one have to log in again. The rule
// knows nothing about users of another login.
func TestUsersOfAnotherProviderGetNoNewTokens(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	p := serve(t, f.oidc())
	p.browser(t).login()
	same, _ := p.reopened(t, f.oidc())
	another, _ := p.reopened(t, f.gitHub())
	for _, tt := range []struct {
		provider *upstream.Provider
		id       string
		want     error
	}{{same, f.url + "|1098", nil}, {another, f.url + "|1098", store.ErrRevoked}, {another, "user-of-a-password", nil}} {
		if err := tt.provider.CheckUser(t.Context(), tt.id); !errors.Is(err, tt.want) {
			t.Errorf("the check of %s returns %v, want %v", tt.id, err, tt.want)
		}
	}
}
