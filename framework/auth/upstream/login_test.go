package upstream_test

import (
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/auth/upstream"
)

// An app registers, its user logs in at the provider and consents, and a tool has the
// provider's token. The app never gets it, and the provider never gets a token of ours.
func TestUsersLogInThroughAProvider(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		provider func(*fake) *upstream.Provider
		id       string
		user     string // on the consent page
	}{
		"OpenID": {func(f *fake) *upstream.Provider { return f.oidc(keep) }, "|1098", "ana@example.com"},
		"GitHub": {func(f *fake) *upstream.Provider { return f.gitHub(keep) }, "/login/oauth|583231", "octocat"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t)
			p := serve(t, tt.provider(f))
			b := p.browser(t)
			consent := b.follow(b.get(b.toCallback()))
			if !strings.Contains(consent.body, tt.user) || !strings.Contains(consent.body, `value="approve"`) {
				t.Errorf("the consent page does not name %s: %s", tt.user, consent.body)
			}
			b.forget()
			got := b.login()
			if answer := p.call(t, got.Access); !strings.Contains(answer, f.url+tt.id+" with upstream-access-token-2") {
				t.Errorf("the tool returns %s", answer)
			}
			database := must(os.ReadFile(p.database)) // WAL is beside it
			wal, _ := os.ReadFile(p.database + "-wal")
			for what, text := range map[string]string{"log": p.log.String(), "database": string(database) + string(wal)} {
				if text == "" {
					t.Errorf("the %s is empty", what)
				}
				for _, secret := range []string{"upstream-access-token", "upstream-refresh-token", clientSecret, got.Access, got.Refresh} {
					if strings.Contains(text, secret) {
						t.Errorf("the %s has %s", what, secret)
					}
				}
			}
			if strings.Contains(f.sent(), got.Access) || strings.Contains(f.sent(), got.Refresh) {
				t.Errorf("the provider gets a token of ours: %s", f.sent())
			}
		})
	}
}

// The page names the app and where the answer goes before any other server is asked, since the
// provider may know the user and answer without a page.
func TestOurPageComesBeforeTheProvider(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	b := serve(t, f.oidc(func(c *upstream.Config) { c.Scopes = []string{"calendar"} })).browser(t)
	page := b.loginPage()
	if page.status != http.StatusOK || page.location != "" || f.sent() != "" {
		t.Errorf("the login page is %d to %q; the provider got %q", page.status, page.location, f.sent())
	}
	for _, want := range []string{"Test <app></strong> asks for access", "a program on this computer", "Log in with Fake", "<code>calendar</code>"} {
		if !strings.Contains(page.body, want) {
			t.Errorf("the page lacks %q: %s", want, page.body)
		}
	}
	if csp := page.header.Get("Content-Security-Policy"); !strings.HasSuffix(csp, "form-action 'self' "+f.url) || !strings.Contains(csp, "frame-ancestors 'none'") {
		t.Errorf("the policy is %s", csp)
	}
	b.submit(page, url.Values{"csrf": {"wrong"}}).isRefused(t, "a form without our token", http.StatusForbidden, "not sent from its own page")
	if f.sent() != "" {
		t.Errorf("the provider got %q", f.sent())
	}
}

func TestTheProviderIsAskedWithStateNonceAndChallenge(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	b := serve(t, f.oidc()).browser(t)
	seen := map[string]bool{}
	for range 2 {
		query := must(url.Parse(b.toProvider())).Query()
		for name, want := range map[string]string{
			"client_id": clientID, "response_type": "code", "redirect_uri": b.url + "/oauth/callback", "scope": "openid profile email", "code_challenge_method": "S256",
		} {
			if query.Get(name) != want {
				t.Errorf("%s is %q, want %q", name, query.Get(name), want)
			}
		}
		for _, name := range []string{"state", "nonce", "code_challenge"} {
			if value := query.Get(name); len(value) < 26 || seen[value] {
				t.Errorf("%s is %q", name, value)
			} else {
				seen[value] = true
			}
		}
	}
}

// "Not you?" leads to the provider with a request to choose an account.
func TestAUserCanLogInAsAnotherOne(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	for want, provider := range map[string]*upstream.Provider{"login": f.oidc(), "select_account": f.gitHub(), "login consent": f.oidc(func(c *upstream.Config) { c.Scopes = []string{"offline_access"} })} {
		b := serve(t, provider).browser(t)
		consent := b.follow(b.get(b.toCallback()))
		page := b.get(regexp.MustCompile(`href="([^"]*)">Not you\?`).FindStringSubmatch(consent.body)[1])
		if prompt := must(url.Parse(b.submit(page, nil).location)).Query().Get("prompt"); prompt != want {
			t.Errorf("the prompt is %q, want %q", prompt, want)
		}
	}
}

// Nobody comes back to the callback except the browser that was sent, and once.
func TestTheCallbackNeedsTheStateOfTheSameBrowser(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	p := serve(t, f.oidc())
	without := func(address, name string) string {
		u := must(url.Parse(address))
		query := u.Query()
		query.Del(name)
		u.RawQuery = query.Encode()
		return u.String()
	}
	const expired = "This page has expired, or was used already"
	for name, attack := range map[string]func(b *browser) string{
		"no state":           func(b *browser) string { return without(b.toCallback(), "state") },
		"an unknown state":   func(b *browser) string { return without(b.toCallback(), "state") + "&state=AAAAAAAAAAAAAAAAAAAAAAAAAA" },
		"the state twice":    func(b *browser) string { return b.toCallback() + "&state=x" },
		"another browser":    func(b *browser) string { address := b.toCallback(); b.forget(); return address },
		"a victim's browser": func(b *browser) string { address := b.toCallback(); b.forget(); b.loginPage(); return address },
		"a used state": func(b *browser) string {
			address := b.toCallback()
			if v := b.get(address); v.status != http.StatusSeeOther {
				t.Errorf("the first visit is answered with %d %s", v.status, v.body)
			}
			return address
		},
		"a used state, and denied": func(b *browser) string {
			address := b.toCallback()
			b.get(address)
			return without(address, "code") + "&error=access_denied"
		},
	} {
		b := p.browser(t)
		address := attack(b)
		sent := f.sent()
		b.get(address).isRefused(t, name, http.StatusBadRequest, expired)
		if f.sent() != sent {
			t.Errorf("%s: the provider is asked", name)
		}
	}
}

// A state is used even if somebody else has used it, so that nobody can try.
func TestAStateOfAnotherBrowserIsUsedUp(t *testing.T) {
	t.Parallel()
	p := serve(t, newFake(t).oidc())
	b, other := p.browser(t), p.browser(t)
	address := b.toCallback()
	other.get(address).isRefused(t, "another browser", http.StatusBadRequest, "expired")
	b.get(address).isRefused(t, "the browser itself", http.StatusBadRequest, "expired")
}

func TestAnswersOfTheProviderAreChecked(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		answer url.Values
		status int
		page   string
		log    string
	}{
		"another issuer":    {url.Values{"iss": {"https://evil.example"}}, http.StatusBadGateway, "Fake did not answer as it should", `https://evil.example`},
		"no issuer":         {url.Values{"iss": nil}, http.StatusBadGateway, "Fake did not answer as it should", "the answer comes from the issuer"},
		"denied":            {url.Values{"code": nil, "error": {"access_denied"}}, http.StatusForbidden, "You are not logged in: Fake did not allow it", "access_denied"},
		"denied by another": {url.Values{"code": nil, "error": {"access_denied"}, "iss": {"https://evil.example"}}, http.StatusBadGateway, "Fake did not answer", "evil.example"},
		"a failure":         {url.Values{"code": nil, "error": {"server_error"}, "error_description": {"<b>boom"}}, http.StatusBadGateway, "Fake did not answer", "server_error: <b>boom"},
		"a long failure":    {url.Values{"code": nil, "error": {strings.Repeat("x", 5000)}}, http.StatusBadGateway, "Fake did not answer", "xxx..."},
		"no code":           {url.Values{"code": nil}, http.StatusBadGateway, "Fake did not answer", "neither a code nor an error"},
		"a wrong code":      {url.Values{"code": {"guessed"}}, http.StatusBadGateway, "Fake did not answer", "status 400: invalid_grant it is not right, and the secret is ***"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t)
			f.answer = tt.answer
			p := serve(t, f.oidc())
			b := p.browser(t)
			page := b.get(b.toCallback())
			page.isRefused(t, name, tt.status, tt.page)
			if log := p.log.String(); !strings.Contains(log, tt.log) || strings.Contains(log, clientSecret) || strings.Contains(log, "guessed") {
				t.Errorf("the log is %s, want %q in it", log, tt.log)
			}
			// The user can try again, or go back with an error that the app understands.
			if !strings.Contains(page.body, "Log in again") || !strings.Contains(page.body, clientCallback+"?error=access_denied&error_description=The+user+is+not+logged+in&iss="+url.QueryEscape(p.url)+"&state=the+client%27s") {
				t.Errorf("the page has no way out: %s", page.body)
			}
		})
	}
}

// GitHub says who it is since 2026. Older servers don't.
func TestGitHubMayLeaveOutItsIssuer(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	b := serve(t, f.gitHub()).browser(t)
	f.set(func() { f.answer.Set("iss", f.url) })
	b.get(b.toCallback()).isRefused(t, "another issuer", http.StatusBadGateway, "did not answer")
	f.set(func() { f.answer["iss"] = nil })
	if got := b.login(); got.Access == "" {
		t.Error("there is no token")
	}
}

// Requests to GitHub go to the addresses that its documentation has.
func TestGitHubHasItsAddresses(t *testing.T) {
	t.Parallel()
	for address, want := range map[string][]string{
		"":                         {"https://github.com/login/oauth/authorize", "https://github.com/login/oauth/access_token", "https://api.github.com/user", "https://api.github.com/user/emails"},
		"https://acme.ghe.com":     {"https://acme.ghe.com/login/oauth/authorize", "https://acme.ghe.com/login/oauth/access_token", "https://api.acme.ghe.com/user", "https://api.acme.ghe.com/user/emails"},
		"https://git.example.com/": {"https://git.example.com/login/oauth/authorize", "https://git.example.com/login/oauth/access_token", "https://git.example.com/api/v3/user", "https://git.example.com/api/v3/user/emails"},
	} {
		t.Run(address, func(t *testing.T) {
			t.Parallel()
			f := newFake(t)
			spy := &reroute{to: f.url}
			b := serve(t, f.gitHub(func(c *upstream.Config) { c.URL, c.Client = address, &http.Client{Transport: spy} })).browser(t)
			if policy := b.loginPage().header.Get("Content-Security-Policy"); !strings.HasSuffix(policy, "form-action 'self' https:") {
				t.Errorf("the policy is %s", policy)
			}
			at := must(url.Parse(b.toProvider()))
			seen := []string{at.Scheme + "://" + at.Host + at.Path}
			f.set(func() { f.answer["iss"] = nil })
			b.follow(b.get(f.url + "/login/oauth/authorize?" + at.RawQuery))
			if seen = append(seen, spy.seen...); !slices.Equal(seen, want) {
				t.Errorf("the requests go to %q, want %q", seen, want)
			}
		})
	}
}

// A reroute is a transport that sends all requests to one server.
type reroute struct {
	to   string
	seen []string
}

func (r *reroute) RoundTrip(request *http.Request) (*http.Response, error) {
	r.seen = append(r.seen, request.URL.String())
	to, sent := must(url.Parse(r.to)), request.Clone(request.Context())
	sent.URL.Scheme, sent.URL.Host, sent.Host = to.Scheme, to.Host, ""
	if strings.HasPrefix(request.URL.Host, "api.") {
		sent.URL.Path = "/api/v3" + sent.URL.Path
	}
	return http.DefaultTransport.RoundTrip(sent)
}
