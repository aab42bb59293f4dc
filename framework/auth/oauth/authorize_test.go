package oauth

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/mcp"
)

const webCallback = "https://web.example/cb"

func TestAUserLogsInAndAllowsAClient(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for client, uri := range map[string]string{"app": callback, "web": webCallback} {
		b := f.browser()
		login := b.open(request(client, uri))
		login.isPage(t, "login", http.StatusOK, client+" asks for access")
		b.submit(login, url.Values{"name": {"mallory"}}).isPage(t, "a wrong name", http.StatusForbidden, "The name or the password is wrong")
		consent := b.submit(login, url.Values{"name": {"ana"}})
		consent.isPage(t, "consent", http.StatusOK, "Allow "+client+" access?")
		host, _ := url.Parse(uri)
		for _, text := range []string{"ana@example.com", "Use the tools", "Change files", "files:write", resource, "example.com"} {
			if !strings.Contains(consent.Body.String(), text) {
				t.Errorf("%s: the page lacks %q", client, text)
			}
		}
		if got := strings.Contains(consent.Body.String(), host.Host); got != (client == "web") {
			t.Errorf("%s: the page has the host of the redirect URI: %v", client, got)
		}
		if strings.Contains(consent.Body.String(), "This app registered itself") {
			t.Errorf("%s: the page warns of a client on this computer, or of one of the operator", client)
		}
		if got := strings.Contains(consent.Body.String(), "a program on this computer"); got != (client == "app") {
			t.Errorf("%s: the page says that the client is a local program: %v", client, got)
		}
		if strings.Contains(consent.Body.String(), "describes itself at") {
			t.Errorf("%s: the page says that the client has a document", client)
		}
		if want := "form-action 'self' " + host.Scheme + "://" + host.Host; !strings.HasSuffix(consent.Header().Get("Content-Security-Policy"), want) {
			t.Errorf("%s: the policy is %s", client, consent.Header().Get("Content-Security-Policy"))
		}
		answer := b.submit(consent, url.Values{"decision": {"approve"}, "scope": {"mcp:use"}}).toClient(t, uri)
		if answer.Get("state") != "a+b/c==" || answer.Get("code") == "" || answer.Has("error") {
			t.Fatalf("%s: the answer is %v", client, answer)
		}
		form := url.Values{"grant_type": {grantCode}, "code": {answer.Get("code")}, "code_verifier": {"dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"}}
		alter := basic("web", secret)
		if client == "app" {
			form, alter = with(form, "client_id", "app"), func(*http.Request) {}
		}
		tokens := answerOf(t, f.post(tokenPath, form, alter))
		if access, _ := f.accessToken(tokens.AccessToken); tokens.Scope != "mcp:use" || access.claims["sub"] != "u-ana" || access.claims["aud"] != resource || access.claims["department"] != "R&D" {
			t.Errorf("%s: the tokens are %+v", client, tokens)
		}
	}
}

func TestAUserDeniesAClient(t *testing.T) {
	t.Parallel()
	b := newFixture(t).browser()
	consent := b.toConsent(t, request("app", callback))
	answer := b.submit(consent, url.Values{"decision": {"deny"}, "scope": {"mcp:use"}}).toClient(t, callback)
	if answer.Get("error") != "access_denied" || answer.Get("state") != "a+b/c==" || answer.Has("code") || len(answer) != 4 {
		t.Errorf("the answer is %v", answer)
	}
	b.submit(consent, url.Values{"decision": {"approve"}, "scope": {"mcp:use"}}).isPage(t, "a changed mind", http.StatusBadRequest, "expired, or was used")
}

// Whoever is not a known client with a registered URI gets no redirect.
func TestAWrongClientOrRedirectURIIsNotFollowed(t *testing.T) {
	t.Parallel()
	f, long := newFixture(t), strings.Repeat("a", 4097)
	several := store.Client{ID: "several", Source: store.Registered, RedirectURIs: []string{callback, webCallback}, Created: time.Now()}
	if err := f.base.Store.CreateClient(t.Context(), several); err != nil {
		t.Fatal(err)
	}
	const unknown, wrong = "remove this server and add it again", "an address that it has not registered"
	for address, text := range map[string]string{
		request("", callback):                                unknown,
		request("nobody", "https://evil.test/cb"):            unknown,
		request("web", "https://evil.test/cb"):               wrong,
		request("web", "https://evil-web.example/cb"):        wrong,
		request("web", "https://web.example.evil.test/cb"):   wrong,
		request("web", "http://web.example/cb"):              wrong,
		request("web", "https://web.example/cb/"):            wrong,
		request("web", "https://web.example/CB"):             wrong,
		request("web", "https://web.example/cb?x=y"):         wrong,
		request("web", "https://web.example/./cb"):           wrong,
		request("web", "https://web.example%2fcb"):           wrong,
		request("web", "https://web.example:443/cb"):         wrong,
		request("web", "https://WEB.example/cb"):             wrong,
		request("web", "https://web.example/cb#x"):           wrong,
		request("web", "javascript:alert(1)"):                wrong,
		request("app", "http://127.0.0.1:80@evil.test/"):     wrong,
		request("app", "http://localhost:1234/callback"):     wrong,
		request("several", ""):                               wrong,
		request("app", callback) + "&client_id=app":          "The parameter client_id occurs more than once",
		request("app", callback) + "&redirect_uri=https://x": "The parameter redirect_uri occurs more than once",
		request("app", callback) + "&x=%zz":                  "not encoded as a form",
		request("app", callback) + "&x=%ff":                  "The parameter x has invalid UTF-8 or a control character",
		request("app", callback, "scope", "mcp:use\n"):       "The parameter scope has invalid UTF-8 or a control character",
		request("app", callback, "state", "a\x00"):           "The parameter state has invalid UTF-8 or a control character",
		request(strings.Repeat("a", 513), callback):          "The parameter client_id is longer than 512 bytes",
		request("app", callback, "state", long):              "The parameter state is longer than 4096 bytes",
		request("app", callback, "scope", long):              "The parameter scope is longer than 4096 bytes",
	} {
		f.browser().open(address).isPage(t, address, http.StatusBadRequest, text)
	}
	if v := f.browser().open(request("web", "")); v.Code != http.StatusOK {
		t.Errorf("the only registered URI is not the default: %d %s", v.Code, v.Body)
	}
}

// An older version let clients register such URIs (UPGRADE.md).
func TestARedirectURIOfBeforeThatIsRefusedNowIsNotFollowed(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const page = "The app wants to send you to an address that it has not registered. Nothing was sent there."
	for n, uri := range []string{"https://client.example/cb?state=x", "https://client.example/cb?a=b&iss=https://evil.test", "https://client.example;sandbox/cb", "evil://cb"} {
		alone, both := fmt.Sprint("alone", n), fmt.Sprint("both", n)
		f.adds(t, store.Client{ID: alone, Source: store.Registered, RedirectURIs: []string{uri}})
		f.adds(t, store.Client{ID: both, Source: store.Registered, RedirectURIs: []string{uri, webCallback}})
		f.browser().open(request(alone, uri)).isPage(t, uri, http.StatusBadRequest, page)
		f.browser().open(request(alone, "")).isPage(t, uri+" as the only one", http.StatusBadRequest, page)
		f.browser().open(request(both, uri)).isPage(t, uri+" beside another", http.StatusBadRequest, page)
		f.browser().open(request(both, webCallback)).isPage(t, "another beside "+uri, http.StatusOK, "asks for access")
	}
	answer := f.registers(`{"redirect_uris":["https://client.example/cb"]}`) // as UPGRADE.md advises
	var again struct {
		ID string `json:"client_id"`
	}
	if err := json.Unmarshal(answer.Body.Bytes(), &again); err != nil {
		t.Fatal(err)
	}
	f.browser().open(request(again.ID, "https://client.example/cb")).isPage(t, "the client that registers again", http.StatusOK, "asks for access")
}

func TestAWrongRequestIsAnsweredToTheClient(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for what, wrong := range map[string]struct {
		changes []string
		code    string
	}{
		"no response type":       {[]string{"response_type", ""}, "unsupported_response_type"},
		"the implicit grant":     {[]string{"response_type", "token"}, "unsupported_response_type"},
		"no challenge":           {[]string{"code_challenge", ""}, "invalid_request"},
		"a short challenge":      {[]string{"code_challenge", strings.Repeat("a", 42)}, "invalid_request"},
		"a long challenge":       {[]string{"code_challenge", strings.Repeat("a", 44)}, "invalid_request"},
		"a padded challenge":     {[]string{"code_challenge", strings.Repeat("a", 42) + "="}, "invalid_request"},
		"a challenge with a dot": {[]string{"code_challenge", strings.Repeat("a", 42) + "."}, "invalid_request"},
		"plain":                  {[]string{"code_challenge_method", "plain"}, "invalid_request"},
		"no method":              {[]string{"code_challenge_method", ""}, "invalid_request"},
		"an unknown scope":       {[]string{"scope", "mcp:use admin"}, "invalid_scope"},
		"a scope with a quote":   {[]string{"scope", "mcp:use\""}, "invalid_scope"},
		"many scopes":            {[]string{"scope", manyScopes()}, "invalid_request"},
		"a foreign resource":     {[]string{"resource", "https://evil.test/mcp"}, "invalid_target"},
		"no resource of several": {[]string{"resource", ""}, "invalid_target"},
	} {
		answer := f.browser().open(request("web", webCallback, wrong.changes...)).toClient(t, webCallback)
		description := answer.Get("error_description")
		if answer.Get("error") != wrong.code || description == "" || len(description) > 200 || strings.ContainsAny(description, "\"\\\n") || answer.Get("state") != "a+b/c==" || answer.Has("code") {
			t.Errorf("%s: the answer is %v, want %s", what, answer, wrong.code)
		}
		// A client that registered itself could use the answer to send people anywhere.
		page := f.browser().open(request("app", callback, wrong.changes...))
		page.isPage(t, what, http.StatusBadRequest, "Back to a program on this computer")
		if !strings.Contains(page.Body.String(), `href="http://127.0.0.1:1234/callback?error=`+wrong.code) {
			t.Errorf("%s: the page has no link to the client: %s", what, page.Body)
		}
	}
	several := f.browser().open(request("web", webCallback) + "&resource=" + url.QueryEscape(other))
	several.isPage(t, "two resources", http.StatusBadRequest, "for one resource")
}

func TestTheScopesOfOpenIDAreIgnored(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for scope, want := range map[string][]string{
		"":                             {"mcp:use"},
		"openid profile email":         {"mcp:use"},
		"offline_access files:write":   {"files:write"},
		"mcp:use  mcp:use files:write": {"mcp:use", "files:write"},
	} {
		page := f.browser().toConsent(t, request("app", callback, "scope", scope)).Body.String()
		for _, one := range []string{"mcp:use", "files:write"} {
			if got := strings.Contains(page, `value="`+one+`"`); got != slices.Contains(want, one) {
				t.Errorf("%q: the page has %s: %v", scope, one, got)
			}
		}
	}
}

func TestADecisionComesFromThePageOfTheSameBrowser(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	good := url.Values{"decision": {"approve"}, "scope": {"mcp:use"}}
	victim := f.browser()
	consent := victim.toConsent(t, request("app", callback))
	attacker := f.browser()
	foreign := attacker.toConsent(t, request("app", callback))
	const stranger, expired = "not sent from its own page", "expired, or was used"

	victim.submit(consent, with(good, "csrf", "x")).isPage(t, "another token", http.StatusForbidden, stranger)
	victim.submit(consent, with(good, "csrf", hidden.FindStringSubmatch(foreign.Body.String())[1])).isPage(t, "the token of another transaction", http.StatusForbidden, stranger)
	victim.submit(consent, good, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }).isPage(t, "another site", http.StatusForbidden, stranger)
	victim.submit(consent, good, func(r *http.Request) { r.Header.Del("Sec-Fetch-Site"); r.Header.Set("Origin", "https://evil.test") }).isPage(t, "another origin", http.StatusForbidden, stranger)
	victim.submit(consent, good, func(r *http.Request) { r.Header.Del("Sec-Fetch-Site"); r.Header.Set("Origin", "null") }).isPage(t, "no origin", http.StatusForbidden, stranger)
	victim.send(http.MethodPost, consent.url, good).isPage(t, "no token", http.StatusForbidden, stranger)
	attacker.submit(consent, good).isPage(t, "the cookie of another browser", http.StatusBadRequest, expired)
	(&browser{f, map[string]string{}}).submit(consent, good).isPage(t, "no cookie", http.StatusBadRequest, expired)
	victim.submit(consent, with(good, "scope", "admin")).isPage(t, "a scope that was not shown", http.StatusForbidden, stranger)
	victim.submit(consent, with(good, "state", strings.Repeat("a", 64<<10))).isPage(t, "a long form", http.StatusRequestEntityTooLarge, "The body is larger than 16384 bytes")
	victim.submit(consent, with(good, "state", "\xff")).isPage(t, "no text", http.StatusForbidden, stranger)
	victim.submit(consent, url.Values{"decision": {"deny", "approve"}}).isPage(t, "two decisions", http.StatusForbidden, stranger)
	victim.submit(consent, with(good, "decision", "")).isPage(t, "no decision", http.StatusForbidden, stranger)
	victim.submit(consent, with(good, "decision", "maybe")).isPage(t, "another decision", http.StatusForbidden, stranger)

	// Parameters that the user has not seen change nothing.
	more := with(good, "redirect_uri", "https://evil.test", "client_id", "web", "state", "x", "resource", other)
	answer := victim.submit(consent, more).toClient(t, callback)
	if answer.Get("code") == "" || answer.Get("state") != "a+b/c==" {
		t.Errorf("the answer is %v", answer)
	}
	victim.submit(consent, good).isPage(t, "the same page again", http.StatusBadRequest, expired)
}

// A program on the same computer could use the ID and the address of another, so nothing is
// granted without the user.
func TestAClientThatWasAllowedIsShownAgain(t *testing.T) {
	t.Parallel()
	b := newFixture(t).browser()
	b.submit(b.toConsent(t, request("app", callback)), url.Values{"decision": {"approve"}, "scope": {"mcp:use"}}).toClient(t, callback)
	b.open(request("app", callback)).isPage(t, "the same client", http.StatusOK, "Allow app access?")
}

// Chromium applies the policy of a form to the redirect that answers it.
func TestThePolicyOfTheConsentPageAllowsTheRedirect(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for uri, source := range map[string]string{
		"http://127.0.0.1:1234/callback": "http://127.0.0.1:1234", "http://localhost:8787/cb": "http://localhost:8787", "http://[::1]:1234/cb": "http:",
		webCallback: "https://web.example", "https://web.example:8443/cb": "https://web.example:8443", "cursor://anysphere.cursor-mcp/oauth/callback": "cursor:",
	} {
		client := store.Client{ID: "client at " + uri, Source: store.Static, RedirectURIs: []string{uri}, Created: time.Now()}
		if err := f.base.Store.CreateClient(t.Context(), client); err != nil {
			t.Fatal(err)
		}
		consent := f.browser().toConsent(t, request(client.ID, uri))
		consent.isPage(t, uri, http.StatusOK, "Allow client at")
		if policy := consent.Header().Get("Content-Security-Policy"); !strings.HasSuffix(policy, "; form-action 'self' "+source) {
			t.Errorf("%s: the policy is %s", uri, policy)
		}
	}
}

func TestNothingTickedGrantsNothing(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	b := f.browser()
	answer := b.submit(b.toConsent(t, request("app", callback)), url.Values{"decision": {"approve"}}).toClient(t, callback)
	grant, _, _ := strings.Cut(answer.Get("code"), ".")
	if found, err := f.base.Store.Grant(t.Context(), grant); err != nil || len(found.Scopes) != 0 {
		t.Errorf("the grant is %+v, %v", found, err)
	}
}

func TestAPageExpires(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newFixture(t).browser()
		consent := b.toConsent(t, request("app", callback))
		time.Sleep(10 * time.Minute)
		b.submit(consent, url.Values{"decision": {"approve"}}).isPage(t, "after ten minutes", http.StatusBadRequest, "expired, or was used")
	})
}

func TestAUserWhoHasLoggedInIsNotAskedAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		b := f.browser()
		first := b.toConsent(t, request("app", callback))
		again := b.open(request("web", webCallback))
		again.isPage(t, "the next client", http.StatusOK, "Allow web access?")
		if !strings.Contains(again.Body.String(), "ana@example.com") {
			t.Errorf("the page is %s", again.Body)
		}
		link := strings.ReplaceAll(strings.Split(strings.Split(again.Body.String(), `<a href="`)[1], `"`)[0], "&amp;", "&")
		login := b.open(link)
		login.isPage(t, "another user", http.StatusOK, "web asks for access")
		b.submit(login, url.Values{"name": {"bob"}}).isPage(t, "consent of another user", http.StatusOK, "bob@example.com")
		b.submit(first, url.Values{"decision": {"approve"}}).isPage(t, "the page of the first user", http.StatusOK, "bob@example.com")
		f.browser().open(request("app", callback)).isPage(t, "another browser", http.StatusOK, "asks for access")
		time.Sleep(time.Hour)
		b.open(request("app", callback)).isPage(t, "after an hour", http.StatusOK, "asks for access")
	})
}

// An attacker who has set the cookie of a browser before the login must not know the one
// after it.
func TestTheCookieChangesAtTheLogin(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	b := f.browser()
	login := b.open(request("app", callback))
	name, value := b.nonce(login)
	fixed := map[string]string{name: value}
	consent := b.submit(login, url.Values{"name": {"ana"}})
	(&browser{f, fixed}).submit(consent, url.Values{"decision": {"approve"}}).isPage(t, "the cookie from before the login", http.StatusBadRequest, "expired, or was used")
	(&browser{f, fixed}).open(consent.url).isPage(t, "the page", http.StatusBadRequest, "expired, or was used")
	v := b.send(http.MethodPost, login.url+"&next=https://evil.test", url.Values{"name": {"ana"}, "csrf": {hidden.FindStringSubmatch(login.Body.String())[1]}, "next": {"https://evil.test"}})
	if location := v.Header().Get("Location"); !strings.HasPrefix(location, issuer+consentPath+"?txn=") || v.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("after the login the way leads to %s, with %v", location, v.Header())
	}
	times := map[string]int{name: 600, "__Host-oauth_session": 3600}
	if n := len(v.Result().Cookies()); n != len(times) {
		t.Errorf("%d cookies are set, want %d", n, len(times))
	}
	for _, cookie := range v.Result().Cookies() {
		if !cookie.Secure || !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode || cookie.Path != "/" || cookie.Domain != "" || cookie.MaxAge == 0 || cookie.MaxAge != times[cookie.Name] {
			t.Errorf("the cookie is %v", cookie)
		}
	}
}

func TestCookiesOnLoopbackNeedNoTLS(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(_ *Config, site *mcp.Site) { site.URL = "http://127.0.0.1:8080" })
	v := f.browser().send(http.MethodGet, strings.Replace(request("app", callback), issuer, "http://127.0.0.1:8080", 1), nil)
	cookies := v.Result().Cookies()
	if len(cookies) != 1 || !strings.HasPrefix(cookies[0].Name, "oauth_t_") || cookies[0].Secure || !cookies[0].HttpOnly {
		t.Errorf("the cookies are %v", cookies)
	}
}

// visitor is a user whose name is chosen by the user.
type visitor string

func (name visitor) Authenticate(w http.ResponseWriter, r *LoginRequest) (*User, error) {
	if r.PostForm.Get("name") == "" {
		r.Form(w, http.StatusOK, "")
		return nil, nil
	}
	if r.PostForm.Get("name") != "ana" {
		r.Form(w, http.StatusForbidden, "login.wrong")
		return nil, nil
	}
	return &User{ID: "u1", Name: string(name)}, nil
}

func TestTheNamesOfOthersAreEscaped(t *testing.T) {
	t.Parallel()
	const attack = `"><script>alert(1)</script><img src=x onerror=alert(1)>`
	f := newFixture(t, func(config *Config, _ *mcp.Site) {
		config.Authenticator, config.Scopes = visitor(attack), map[string]string{"mcp:use": attack, "files:write": attack}
	})
	evil := store.Client{ID: "evil" + attack, Source: store.Registered, Name: attack, RedirectURIs: []string{callback}, Created: time.Now()}
	if err := f.base.Store.CreateClient(t.Context(), evil); err != nil {
		t.Fatal(err)
	}
	b := f.browser()
	login := b.open(request(evil.ID, callback, "state", attack))
	wrong := b.submit(login, url.Values{"name": {attack}})
	consent := b.submit(login, url.Values{"name": {"ana"}})
	for what, page := range map[string]view{"login": login, "a wrong name": wrong, "consent": consent, "error": b.open(request(evil.ID, callback, "scope", attack, "state", attack))} {
		body := page.Body.String()
		if strings.Contains(body, "<script>alert") || strings.Count(body, "<script") != 1 || strings.Contains(body, "<img") || !strings.Contains(body, "&lt;script") && what != "error" {
			t.Errorf("%s: the page has the attack: %s", what, body)
		}
	}
	if n := strings.Count(consent.Body.String(), "&lt;script"); n < 4 {
		t.Errorf("the consent page has the names of the client, the user and two scopes %d times: %s", n, consent.Body)
	}
}

func TestAnAuthenticatorThatFailsIsLogged(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	b := f.browser()
	b.submit(b.open(request("app", callback)), url.Values{"name": {"broken"}}).isPage(t, "the page", http.StatusInternalServerError, "Its log says why")
	if !strings.Contains(f.log.String(), `msg="an OAuth request failed" path=/oauth/login status=500 error="the directory is down"`) {
		t.Errorf("the log is %s", f.log)
	}
}

// Without an ID of the user, a token would be that of the client itself.
func TestAUserWithoutAnIDIsRefusedAtTheLogin(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	b := f.browser()
	b.submit(b.open(request("app", callback)), url.Values{"name": {"nobody"}}).isPage(t, "the page", http.StatusInternalServerError, "Its log says why")
	if want := "the authenticator returned a user without an ID; set User.ID"; !strings.Contains(f.log.String(), want) {
		t.Errorf("the log is %s, want %q", f.log, want)
	}
}

// Tokens with so many claims would be refused at each call.
func TestAUserWhoDoesNotFitIntoATokenIsRefusedAtTheLogin(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	b := f.browser()
	b.submit(b.open(request("app", callback)), url.Values{"name": {"wordy"}}).isPage(t, "the page", http.StatusInternalServerError, "Its log says why")
	if want := "access tokens have room for 4096: leave out claims"; !strings.Contains(f.log.String(), want) {
		t.Errorf("the log is %s, want %q", f.log, want)
	}
}

func TestPagesTakeOnlyTheirMethods(t *testing.T) {
	t.Parallel()
	b := newFixture(t).browser()
	for path, allow := range map[string]string{authorizePath: "GET", loginPath: "GET, POST", consentPath: "GET, POST"} {
		for _, method := range []string{http.MethodPut, http.MethodDelete, http.MethodHead, http.MethodOptions} {
			if v := b.send(method, issuer+path, nil); v.Code != http.StatusMethodNotAllowed || v.Header().Get("Allow") != allow || v.Header().Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("%s %s: %d %v", method, path, v.Code, v.Header())
			}
		}
	}
	b.open(issuer+loginPath).isPage(t, "login without a transaction", http.StatusBadRequest, "expired, or was used")
	b.open(issuer+consentPath+"?txn=x").isPage(t, "consent without a transaction", http.StatusBadRequest, "expired, or was used")
	consent := b.open(request("app", callback))
	b.open(strings.Replace(consent.url, loginPath, consentPath, 1)).isPage(t, "consent before the login", http.StatusOK, "asks for access")
	b.toConsent(t, request("app", callback))
	again := b.open(request("app", callback, "prompt", "login"))
	b.open(strings.Replace(again.url, loginPath, consentPath, 1)).isPage(t, "consent before another login", http.StatusOK, "Log in to decide")
}
