package oauth

import (
	"context"
	"errors"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/authorize"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/grants"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// passwordLogin logs in the users whom door does. The account page asks for the password that the
// store has in clear, which is "right" until it is changed.
type passwordLogin struct {
	door
	tries int // wrong ones
}

func (*passwordLogin) NewUser(name, password string) (store.User, error) {
	if len(password) < 8 {
		return store.User{}, errors.New("the password is too short")
	}
	return store.User{ID: "new", Name: name, Password: password}, nil
}

func (p *passwordLogin) CheckPassword(r *LoginRequest, name, password string) (right bool, wait time.Duration, err error) {
	if p.tries == 3 {
		return false, time.Minute, nil
	}
	user, err := r.Users.UserByName(r.Context(), name)
	right = err == nil && user.Password == password
	if !right {
		p.tries++
	}
	return right, 0, err
}

// withAccounts lets users of the store in.
func withAccounts(t *testing.T, alter ...func(*Config, *mcp.Site)) *fixture {
	t.Helper()
	f := newFixture(t, append(alter, func(c *Config, _ *mcp.Site) { c.Authenticator = &passwordLogin{} })...)
	for _, name := range []string{"ana", "bob"} {
		user := store.User{ID: "u-" + name, Name: name + "@example.com", Password: "right", Created: time.Now()}
		if err := f.base.Store.CreateUser(t.Context(), user); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

// toAccount logs a user in and shows the account page.
func (b *browser) toAccount(t *testing.T, name string) view {
	t.Helper()
	login := b.open(issuer + accountPath)
	login.isPage(t, "the login page without a client", http.StatusOK, "Log in to see your account.")
	v := b.submit(login, url.Values{"name": {name}})
	v.isPage(t, "the account page of "+name, http.StatusOK, name+"@example.com")
	return v
}

// allow lets a user allow a client, and returns the code.
func (b *browser) allow(t *testing.T, client store.Client, redirectURI string) string {
	t.Helper()
	v := b.open(request(client.ID, redirectURI))
	if !strings.Contains(v.Body.String(), `value="approve"`) {
		v = b.submit(v, url.Values{"name": {"ana"}})
	}
	return b.submit(v, url.Values{"decision": {"approve"}, "scope": {"mcp:use"}}).toClient(t, redirectURI).Get("code")
}

// rfcVerifier belongs to the challenge of request (RFC 7636, appendix B).
const rfcVerifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

var clientButton = regexp.MustCompile(`name="client" value="([^"]*)"`)

func TestAUserSeesAndEndsTheAccessOfClients(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := withAccounts(t)
		ana := f.browser()
		tokens := answerOf(t, f.post(tokenPath, url.Values{"grant_type": {grantCode}, "client_id": {"app"}, "code": {ana.allow(t, app, callback)}, "code_verifier": {rfcVerifier}}))
		ana.allow(t, web, "https://web.example/cb")
		page := ana.open(issuer + accountPath)
		text := html.UnescapeString(page.Body.String())
		today := time.Now().UTC().Format(time.DateOnly)
		for _, want := range []string{"ana@example.com", "<strong>app</strong><br>Use the tools<br>", "Since " + today + ". Last used on " + today, "<strong>web</strong>", "Never used."} {
			if !strings.Contains(text, want) {
				t.Errorf("the page lacks %q: %s", want, text)
			}
		}
		ids := clientButton.FindAllStringSubmatch(text, -1)
		if len(ids) != 2 || strings.Index(text, "<strong>app") > strings.Index(text, "<strong>web") {
			t.Fatalf("the page has the clients %v: %s", ids, text)
		}
		use := func() error {
			_, err := f.Verifier().Verify(t.Context(), tokens.AccessToken, resource)
			return err
		}
		if err := use(); err != nil {
			t.Fatal(err)
		}

		bob := f.browser()
		theirs := bob.submit(bob.toAccount(t, "bob"), url.Values{"client": {ids[0][1]}})
		if clientButton.MatchString(theirs.Body.String()) || use() != nil {
			t.Errorf("another user sees or ends the access: %s", theirs.Body)
		}
		bob.submit(theirs, url.Values{"client": {"unknown"}}).isPage(t, "the end of an access that there is not", http.StatusOK, "The app no longer has access.")

		ana.submit(page, url.Values{"client": {ids[0][1]}, "csrf": {"wrong"}}).isPage(t, "a form of another page", http.StatusForbidden, "was not sent from its own page")
		ana.submit(page, url.Values{"client": {ids[0][1]}}, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }).isPage(t, "a form of another site", http.StatusForbidden, "was not sent from its own page")
		if err := use(); err != nil {
			t.Fatal(err)
		}
		after := ana.submit(page, url.Values{"client": {ids[0][1]}})
		after.isPage(t, "the page after the end of an access", http.StatusOK, "The app no longer has access.")
		if left := clientButton.FindAllString(after.Body.String(), -1); len(left) != 1 {
			t.Errorf("the page has %d clients: %s", len(left), after.Body)
		}
		time.Sleep(limits.LiveTime)
		if use() == nil {
			t.Error("the access token is still valid")
		}
		refuses(t, "the refresh token", f.post(tokenPath, url.Values{"grant_type": {grantRefresh}, "client_id": {"app"}, "refresh_token": {tokens.RefreshToken}}), 400, "invalid_grant")
		if !strings.Contains(f.log.String(), "level=INFO msg=\"a grant was revoked\" grant="+strings.Split(tokens.RefreshToken, ".")[0]+" reason=user") {
			t.Errorf("the log is %s", f.log)
		}
	})
}

// A client that never refreshes has a grant for each login.
func TestTheAccessOfAClientEndsWithAllItsGrants(t *testing.T) {
	t.Parallel()
	f := withAccounts(t)
	ana := f.browser()
	redeem := func(code string) grants.Answer {
		return answerOf(t, f.post(tokenPath, url.Values{"grant_type": {grantCode}, "client_id": {"app"}, "code": {code}, "code_verifier": {rfcVerifier}}))
	}
	first, second := redeem(ana.allow(t, app, callback)), redeem(ana.allow(t, app, callback))
	page := ana.open(issuer + accountPath)
	if shown := clientButton.FindAllStringSubmatch(page.Body.String(), -1); len(shown) != 1 || shown[0][1] != "app" {
		t.Fatalf("the page has %v", shown)
	}
	ana.submit(page, url.Values{"client": {"app"}}).isPage(t, "the page afterwards", http.StatusOK, "No app has access to your account.")
	for _, tokens := range []grants.Answer{first, second} {
		refuses(t, "a refresh token", f.post(tokenPath, url.Values{"grant_type": {grantRefresh}, "client_id": {"app"}, "refresh_token": {tokens.RefreshToken}}), 400, "invalid_grant")
	}
}

func TestAUserLogsOut(t *testing.T) {
	t.Parallel()
	f := withAccounts(t)
	b := f.browser()
	page := b.toAccount(t, "ana")
	session := b.cookies["__Host-oauth_session"]
	b.submit(page, url.Values{"logout": {"1"}}).isPage(t, "the page after the end", http.StatusOK, "You are logged out.")
	b.open(issuer+accountPath).isPage(t, "the account page later", http.StatusOK, "Log in to see your account.")
	b.cookies["__Host-oauth_session"] = session // kept by somebody
	b.open(issuer+accountPath).isPage(t, "the account page with the old cookie", http.StatusOK, "Log in to see your account.")
	b.open(request("app", callback)).isPage(t, "a client's request", http.StatusOK, "asks for access. Log in to decide.")
}

func TestAUserChangesThePassword(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := withAccounts(t)
		here, elsewhere := f.browser(), f.browser()
		page := here.toAccount(t, "ana")
		elsewhere.toAccount(t, "ana")
		send := func(current, next string) view {
			return here.submit(page, url.Values{"name": {"bob@example.com"}, "password": {current}, "new": {next}})
		}
		send("wrong", "a long password").isPage(t, "a wrong password", http.StatusForbidden, "The current password is wrong.")
		send("right", "short").isPage(t, "a short password", http.StatusBadRequest, "The new password was not accepted: the password is too short.")
		time.Sleep(time.Second)
		changed := send("right", "a long password")
		changed.isPage(t, "the page after the change", http.StatusOK, "Your password was changed.")
		for id, want := range map[string]string{"u-ana": "a long password", "u-bob": "right"} {
			if user, err := f.base.Store.User(t.Context(), id); err != nil || user.Password != want {
				t.Errorf("the password of %s is %q, %v", id, user.Password, err)
			}
		}
		elsewhere.open(issuer+accountPath).isPage(t, "another browser", http.StatusOK, "Log in to see your account.")
		here.open(issuer+accountPath).isPage(t, "the browser of the change", http.StatusOK, "ana@example.com")
		page = changed
		for range 2 {
			send("right", "another password").isPage(t, "the old password", http.StatusForbidden, "The current password is wrong.")
		}
		waiting := send("a long password", "another password")
		waiting.isPage(t, "too many attempts", http.StatusTooManyRequests, "Too many attempts.")
		if waiting.Header().Get("Retry-After") != "60" {
			t.Errorf("Retry-After is %q", waiting.Header().Get("Retry-After"))
		}
	})
}

// A loginMeanwhile is a store in which a user logs in just before a change of the user.
type loginMeanwhile struct {
	store.Store
	login func()
}

func (l loginMeanwhile) UpdateUser(ctx context.Context, id string, change func(*store.User) error) error {
	l.login()
	return l.Store.UpdateUser(ctx, id, change)
}

func TestASessionThatBeginsDuringAChangeOfThePasswordEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := withAccounts(t)
		b := f.browser()
		meanwhile := loginMeanwhile{f.base.Store, func() {
			time.Sleep(time.Second)
			b.toAccount(t, "ana")
			time.Sleep(time.Second)
		}}
		if err := authorize.ChangePassword(t.Context(), meanwhile, "u-ana", "a long password"); err != nil {
			t.Fatal(err)
		}
		b.open(issuer+accountPath).isPage(t, "a session with the old password", http.StatusOK, "Log in to see your account.")
	})
}

// A program whose users log in elsewhere has no passwords.
func TestAnAccountWithoutAPassword(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	b := f.browser()
	page := b.toAccount(t, "ana")
	if strings.Contains(page.Body.String(), `name="password"`) || !strings.Contains(page.Body.String(), "No app has access to your account.") {
		t.Errorf("the page is %s", page.Body)
	}
	b.submit(page, url.Values{"password": {"x"}, "new": {"a long password"}}).isPage(t, "a form that the page lacks", http.StatusForbidden, "was not sent from its own page")
}

func TestTheSessionsOfAUserEnd(t *testing.T) {
	t.Parallel()
	for what, end := range map[string]func(t *testing.T, f *fixture) error{
		"when an operator ends them": func(t *testing.T, f *fixture) error {
			t.Helper()
			return authorize.EndSessions(t.Context(), f.base.Store, "u-ana")
		},
		"when the user is disabled": func(t *testing.T, f *fixture) error { t.Helper(); return f.disable(t, "u-ana") },
		"when the user is removed":  func(t *testing.T, f *fixture) error { t.Helper(); return f.base.Store.DeleteUser(t.Context(), "u-ana") },
	} {
		synctest.Test(t, func(t *testing.T) {
			f := withAccounts(t)
			ana, bob := f.browser(), f.browser()
			ana.toAccount(t, "ana")
			bob.toAccount(t, "bob")
			consent := ana.open(request("app", callback))
			time.Sleep(time.Second)
			if err := end(t, f); err != nil {
				t.Fatal(err)
			}
			ana.open(issuer+accountPath).isPage(t, what, http.StatusOK, "Log in to see your account.")
			if v := ana.submit(consent, url.Values{"decision": {"approve"}, "scope": {"mcp:use"}}); strings.Contains(v.Header().Get("Location"), "code=") {
				t.Errorf("%s: the user allows a client", what)
			}
			bob.open(issuer+accountPath).isPage(t, what+", another user", http.StatusOK, "bob@example.com")
			if what == "when an operator ends them" {
				time.Sleep(time.Second)
				f.browser().toAccount(t, "ana")
			}
		})
	}
}

func TestALoginIsNoted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := withAccounts(t)
		time.Sleep(time.Hour)
		f.browser().toAccount(t, "ana")
		for id, want := range map[string]time.Time{"u-ana": time.Now(), "u-bob": {}} {
			if user, err := f.base.Store.User(t.Context(), id); err != nil || !user.LoggedIn.Equal(want) {
				t.Errorf("%s logged in at %v, %v; want %v", id, user.LoggedIn, err, want)
			}
		}
	})
}
