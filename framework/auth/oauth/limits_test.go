package oauth

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/grants"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/internal/limits"
)

func TestAnAddressSendsAFewAuthorizationRequestsAMinute(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		for range limits.Authorizations {
			f.browser().open(request("unknown", callback)).isPage(t, "an unknown client", http.StatusBadRequest, "is unknown")
		}
		refused := f.browser().open(request("app", callback))
		refused.isPage(t, "one more", http.StatusTooManyRequests, "Wait 1 s")
		if refused.Header().Get("Retry-After") != "1" {
			t.Errorf("the headers are %v", refused.Header())
		}
		if v := f.browser().send(http.MethodGet, request("app", callback), nil, from("203.0.113.7")); v.Code != http.StatusSeeOther {
			t.Errorf("another address gets %d %s", v.Code, v.Body)
		}
		time.Sleep(time.Second)
		if v := f.browser().open(request("app", callback)); v.Code != http.StatusOK {
			t.Errorf("a second later the answer is %d %s", v.Code, v.Body)
		}
	})
}

func TestAllAddressesTogetherSendSoManyAuthorizationRequests(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *Config, _ *mcp.Site) { c.Limits.AllAuthorizations = 2 })
	for _, address := range []string{"192.0.2.1", "192.0.2.2"} {
		if v := f.browser().send(http.MethodGet, request("app", callback), nil, from(address)); v.Code != http.StatusSeeOther {
			t.Errorf("%s gets %d %s", address, v.Code, v.Body)
		}
	}
	v := f.browser().send(http.MethodGet, request("app", callback), nil, from("192.0.2.3"))
	v.isPage(t, "the third", http.StatusServiceUnavailable, "The server is busy. Wait 300 s")
	if want := `level=WARN msg="an authorization request is refused" reason="all addresses together have sent too many"`; !strings.Contains(f.log.String(), want) {
		t.Errorf("the log lacks %s: %s", want, f.log)
	}
}

// Each visit to another server is a row.
func TestABrowserIsSentToAnotherServerSoOften(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *Config, _ *mcp.Site) { c.Authenticator, c.Limits.Authorizations = &elsewhere{}, 3 })
	b := f.browser()
	page := b.open(request("app", callback))
	b.back(t, page, "ana")
	b.back(t, page, "ana")
	b.submit(page, nil).isPage(t, "the third visit", http.StatusTooManyRequests, "There were too many requests. Wait 20 s")
}

// Only failures count, since a hosted client has many users behind few addresses.
func TestAnAddressSendsAFewWrongTokens(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, func(c *Config, _ *mcp.Site) { c.Limits.WrongTokens = 3 })
		form := url.Values{"grant_type": {grantRefresh}, "client_id": {"app"}}
		tokens := f.login(t)
		for range 4 {
			tokens = answerOf(t, f.post(tokenPath, with(form, "refresh_token", tokens.RefreshToken)))
		}
		refuses(t, "a wrong refresh token", f.post(tokenPath, with(form, "refresh_token", "x")), http.StatusBadRequest, "invalid_grant")
		refuses(t, "no refresh token", f.post(tokenPath, form), http.StatusBadRequest, "invalid_request")
		if w := f.post(revokePath, url.Values{"client_id": {"app"}, "token": {"x"}}); w.Code != http.StatusOK {
			t.Errorf("a wrong token at the revocation endpoint: %d %s", w.Code, w.Body)
		}
		right := with(form, "refresh_token", tokens.RefreshToken)
		for what, w := range map[string]*httptest.ResponseRecorder{"a token": f.post(tokenPath, right), "a revocation": f.post(revokePath, url.Values{"client_id": {"app"}, "token": {"x"}})} {
			refuses(t, what, w, http.StatusTooManyRequests, "temporarily_unavailable")
			if w.Header().Get("Retry-After") != "200" {
				t.Errorf("%s: Retry-After is %q", what, w.Header().Get("Retry-After"))
			}
		}
		refuses(t, "a client that was removed", f.post(tokenPath, with(form, "client_id", "gone")), http.StatusUnauthorized, "invalid_client")
		answerOf(t, f.post(tokenPath, right, from("198.51.100.1")))
	})
}

// Hosted clients refresh the tokens of all their users from few addresses.
func TestMoreRequestsForTokensRunAtOnceThanOthers(t *testing.T) {
	t.Parallel()
	endpoints, err := newFixture(t).Endpoints("")
	if err != nil {
		t.Fatal(err)
	}
	for _, endpoint := range endpoints {
		if want := endpoint.Path == "/oauth/token"; want != (endpoint.Weight == 1) {
			t.Errorf("a request to %s has the weight %d", endpoint.Path, endpoint.Weight)
		}
	}
}

func TestAGrantIsRefreshedSoOften(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *Config, _ *mcp.Site) { c.Limits.Refreshes = 1 })
	refresh := func(tokens grants.Answer) *httptest.ResponseRecorder {
		return f.post(tokenPath, url.Values{"grant_type": {grantRefresh}, "client_id": {"app"}, "refresh_token": {tokens.RefreshToken}})
	}
	second := answerOf(t, refresh(f.login(t)))
	w := refresh(second)
	refuses(t, "a second refresh in an hour", w, http.StatusTooManyRequests, "temporarily_unavailable")
	if w.Header().Get("Retry-After") != "3600" {
		t.Errorf("Retry-After is %q", w.Header().Get("Retry-After"))
	}
	answerOf(t, refresh(f.login(t))) // of another grant
}

// PostgreSQL keeps neither NUL nor invalid UTF-8, and a text that is a key in a store or a limiter is short.
func TestAFormThatNoStoreKeepsIsRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	b := f.browser()
	login := b.open(request("app", callback))
	for what, name := range map[string]string{"NUL": "ana\x00", "invalid UTF-8": "ana\xff", "a long name": strings.Repeat("a", limits.MaxParameter+1)} {
		b.submit(login, url.Values{"name": {name}}).isPage(t, what, http.StatusForbidden, "was not sent from its own page")
	}
	b.submit(login, url.Values{"name": {"ana", "bob"}}).isPage(t, "two names", http.StatusForbidden, "was not sent from its own page")
	b.submit(login, url.Values{"name": {"ana"}}).isPage(t, "a name", http.StatusOK, "Allow app access?")
}

// A user connects two clients at the same time.
func TestTwoTabsLogIn(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	b := f.browser()
	first, second := b.open(request("app", callback)), b.open(request("web", webCallback))
	approve := url.Values{"decision": {"approve"}, "scope": {"mcp:use"}}
	consents := []view{b.submit(first, url.Values{"name": {"ana"}}), b.submit(second, url.Values{"name": {"ana"}})}
	if answer := b.submit(consents[0], approve).toClient(t, callback); answer.Get("code") == "" {
		t.Errorf("the first client gets %v", answer)
	}
	if answer := b.submit(consents[1], approve).toClient(t, webCallback); answer.Get("code") == "" {
		t.Errorf("the second client gets %v", answer)
	}
}

// On http loopback, any program of the machine can set cookies of the server. On https, browsers
// refuse those of other hosts by the prefix of their names.
func TestAPlantedCookieGainsNothing(t *testing.T) {
	t.Parallel()
	for site, prefix := range map[string]string{issuer: "__Host-oauth_t_", "http://127.0.0.1:8080": "oauth_t_"} {
		f := newFixture(t, func(_ *Config, s *mcp.Site) { s.URL = site })
		at := func(address string) string { return strings.Replace(address, issuer, site, 1) }
		plant := func(from, to *browser, page view) {
			name, value := from.nonce(page)
			if !strings.HasPrefix(name, prefix) || value == "" {
				t.Errorf("%s: the cookie %s is %q", site, name, value)
			}
			to.cookies[name] = value
		}
		const expired = "expired, or was used"
		ana, attacker := f.browser(), f.browser()
		ana.toConsent(t, at(request("app", callback)))
		login := attacker.open(at(request("web", webCallback)))
		plant(attacker, ana, login)
		ana.open(login.url).isPage(t, site+": the page of ana", http.StatusOK, "ana@example.com")
		attacker.open(strings.Replace(login.url, loginPath, consentPath, 1)).isPage(t, site+": the page of the attacker", http.StatusBadRequest, expired)

		consent := attacker.submit(attacker.open(at(request("web", webCallback))), url.Values{"name": {"bob"}})
		plant(attacker, ana, consent)
		again := ana.open(strings.Replace(consent.url, consentPath, loginPath, 1) + "&switch")
		ana.submit(again, url.Values{"name": {"ana"}}).isPage(t, site+": the page of ana after the change of the user", http.StatusOK, "ana@example.com")
		attacker.open(consent.url).isPage(t, site+": the page of the attacker after it", http.StatusBadRequest, expired)
		attacker.submit(consent, url.Values{"decision": {"approve"}, "scope": {"mcp:use"}}).isPage(t, site+": the decision of the attacker after it", http.StatusBadRequest, expired)
	}
}

// A browser sends the oldest cookie first.
func TestABrowserKeepsItsLastTransactions(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var cookies []*http.Cookie
	send := func(url string) view {
		r := httptest.NewRequest(http.MethodGet, url, nil)
		for _, cookie := range cookies {
			r.AddCookie(cookie)
		}
		w := httptest.NewRecorder()
		f.mux.ServeHTTP(w, r)
		for _, set := range w.Result().Cookies() {
			cookies = slices.DeleteFunc(cookies, func(c *http.Cookie) bool { return c.Name == set.Name })
			if set.MaxAge > 0 {
				cookies = append(cookies, set)
			}
		}
		return view{ResponseRecorder: w}
	}
	var pages []string
	for range 2 * limits.Transactions {
		pages = append(pages, send(request("app", callback)).Header().Get("Location"))
	}
	if len(cookies) != limits.Transactions {
		t.Errorf("the browser keeps %d cookies", len(cookies))
	}
	for n, page := range pages {
		if kept := send(page).Code == http.StatusOK; kept != (n >= limits.Transactions) {
			t.Errorf("transaction %d is kept: %t", n, kept)
		}
	}
}

func TestAClientMayAskForALogin(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	b := f.browser()
	b.toConsent(t, request("app", callback))
	login := b.open(request("app", callback, "prompt", "login consent"))
	login.isPage(t, "the page", http.StatusOK, "Log in to decide")
	consent := b.submit(login, url.Values{"name": {"ana"}})
	if answer := b.submit(consent, url.Values{"decision": {"approve"}}).toClient(t, callback); answer.Get("code") == "" {
		t.Errorf("the answer is %v", answer)
	}
}

func TestNoClientGetsAccessWithoutAQuestion(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	b := f.browser()
	silent := request("web", webCallback, "prompt", "none")
	if answer := b.open(silent).toClient(t, webCallback); answer.Get("error") != "login_required" || answer.Get("state") == "" {
		t.Errorf("before the login, the answer is %v", answer)
	}
	b.toConsent(t, request("app", callback))
	if answer := b.open(silent).toClient(t, webCallback); answer.Get("error") != "consent_required" {
		t.Errorf("after the login, the answer is %v", answer)
	}
	for parameter, value := range map[string]string{"prompt": "none login", "response_mode": "form_post"} {
		if answer := b.open(request("web", webCallback, parameter, value)).toClient(t, webCallback); answer.Get("error") != "invalid_request" {
			t.Errorf("%s=%s: the answer is %v", parameter, value, answer)
		}
	}
	b.open(request("web", webCallback, "response_mode", "query", "prompt", "consent")).isPage(t, "the usual", http.StatusOK, "Allow web access?")
}

// Clients rarely tell their users why they are refused.
func TestRefusalsAreLoggedWithTheirReason(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.registers(`{"redirect_uris":["http://client.example/cb"]}`)
	for n, address := range []string{
		request("nobody", callback), request("app", "https://evil.test"), request("web", webCallback, "scope", "admin"), request("app", callback, "state", "\xff"),
	} {
		f.browser().send(http.MethodGet, address, nil, from(fmt.Sprintf("192.0.2.%d", n)))
	}
	log := f.log.String()
	for _, line := range []string{
		`level=WARN msg="a registration is refused" reason="The redirect URI number 1 is refused: http is only for`, `msg="an authorization request is refused" reason="the client is unknown" address=192.0.2.0 request=`,
		`reason="the redirect URI is not registered" address=192.0.2.1 redirect_uri='https://evil.test' request=`, `reason="The scope 'admin' is unknown, or not for this client"`,
		`reason="The parameter state has invalid UTF-8 or a control character"`,
	} {
		if !strings.Contains(log, line) {
			t.Errorf("the log lacks %s:\n%s", line, log)
		}
	}
	f.log.Reset()
	for range 50 {
		f.browser().send(http.MethodGet, request("nobody", callback), nil, from("198.51.100.1"))
	}
	if n := strings.Count(f.log.String(), "level=WARN"); n != limits.RefusalLogs {
		t.Errorf("50 refusals write %d lines", n)
	}
}
