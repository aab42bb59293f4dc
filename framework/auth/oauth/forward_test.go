package oauth

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/mcp"
)

// elsewhere logs users in at another server, which returns their names in the parameter user.
type elsewhere struct {
	hasty   bool // forwards without a page
	refused map[string]bool
	opened  string
}

func (e *elsewhere) Authenticate(w http.ResponseWriter, r *LoginRequest) (*User, error) {
	data, back := r.Forwarded()
	switch {
	case back && e.refused[r.URL.Query().Get("user")]:
		return nil, &LoginError{Status: http.StatusForbidden, Text: "login.refused", Detail: r.URL.Query().Get("user"), Err: errors.New("the user is on no list")}
	case back:
		return &User{ID: r.URL.Query().Get("user"), Name: string(data)}, nil
	case r.Method != http.MethodPost && !e.hasty:
		r.Button(w, Button{Name: "Elsewhere", URL: "https://login.example.com/realms/staff", Scopes: []string{"openid"}})
		return nil, nil
	default:
		return nil, r.Forward(w, []byte("name of "+r.Address.String()), func(state string) string {
			return "https://login.example.com/authorize?" + url.Values{"state": {state}, "redirect_uri": {r.CallbackURL()}}.Encode()
		})
	}
}

func (e *elsewhere) Check() error { return nil }

func (e *elsewhere) Open(issuer string, records store.Values, lifetime time.Duration) {
	_, err := records.Value(context.Background(), store.Hash{})
	if errors.Is(err, store.ErrNotFound) && lifetime == defaultTotal {
		e.opened = issuer
	}
}

func (e *elsewhere) CheckUser(_ context.Context, id string) error {
	if e.refused[id] {
		return store.ErrRevoked
	}
	return nil
}

func (e *elsewhere) fixture(t *testing.T) *fixture {
	t.Helper()
	return newFixture(t, func(c *Config, _ *mcp.Site) { c.Authenticator = e })
}

// back returns the URL of the callback after a user has pressed the button.
func (b *browser) back(t *testing.T, page view, user string) string {
	t.Helper()
	v := b.submit(page, nil)
	location, err := url.Parse(v.Header().Get("Location"))
	if err != nil || v.Code != http.StatusSeeOther || location.Host != "login.example.com" || v.Header().Get("Referrer-Policy") != "no-referrer" || v.Header().Get("Cache-Control") != "no-store" {
		t.Fatalf("the button leads to %d %v %s", v.Code, v.Header(), v.Body)
	}
	if got := location.Query().Get("redirect_uri"); got != issuer+"/oauth/callback" {
		t.Errorf("the redirect URI is %s", got)
	}
	return issuer + "/oauth/callback?" + url.Values{"state": {location.Query().Get("state")}, "user": {user}}.Encode()
}

func TestAnotherServerLogsUsersIn(t *testing.T) {
	t.Parallel()
	e := &elsewhere{}
	b := e.fixture(t).browser()
	page := b.open(request("app", callback))
	page.isPage(t, "the page with the button", http.StatusOK, "Log in with Elsewhere")
	if policy := page.Header().Get("Content-Security-Policy"); !strings.HasSuffix(policy, "form-action 'self' https:") {
		t.Errorf("the policy is %s; the other server may redirect to a third one", policy)
	}
	_, old := b.nonce(page)
	consent := b.open(b.back(t, page, "u-ana"))
	consent.isPage(t, "the consent page", http.StatusOK, "name of 192.0.2.1")
	if _, now := b.nonce(consent); now == old {
		t.Error("the cookie of the transaction is the same after the login")
	}
	answer := b.submit(consent, url.Values{"decision": {"approve"}, "scope": {"mcp:use"}}).toClient(t, callback)
	if answer.Get("code") == "" || e.opened != issuer {
		t.Errorf("the answer is %v; the authenticator was opened by %q", answer, e.opened)
	}
}

// An authenticator can't leave out the page on which the user consents.
func TestNoOtherServerIsAskedBeforeTheUserConsents(t *testing.T) {
	t.Parallel()
	f := (&elsewhere{hasty: true}).fixture(t)
	page := f.browser().open(request("app", callback))
	page.isPage(t, "a hasty authenticator", http.StatusInternalServerError, "The server failed")
	if !strings.Contains(f.log.String(), "LoginRequest.Forward needs a POST request; call LoginRequest.Button first") {
		t.Errorf("the log is %s", f.log)
	}
}

// The page names a client as its kind allows: by its own word, or by its host.
func TestThePageWithTheButtonNamesTheClient(t *testing.T) {
	t.Parallel()
	f := (&elsewhere{}).fixture(t)
	page := f.browser().open(request("app", callback))
	page.isPage(t, "a registered client", http.StatusOK, "<strong>a program on this computer</strong>")
	if strings.Contains(page.Body.String(), "registered itself") || strings.Contains(page.Body.String(), "127.0.0.1:1234") {
		t.Errorf("the page warns of a program on this computer, or shows its port: %s", page.Body)
	}
	foreign := store.Client{ID: "foreign", Source: store.Registered, RedirectURIs: []string{"https://foreign.example/cb"}, Created: time.Now()}
	if err := f.base.Store.CreateClient(t.Context(), foreign); err != nil {
		t.Fatal(err)
	}
	page = f.browser().open(request("foreign", "https://foreign.example/cb"))
	page.isPage(t, "a registered client elsewhere", http.StatusOK, `<p class="note">This app registered itself`)
	page.isPage(t, "a registered client elsewhere", http.StatusOK, "<strong>foreign.example</strong>")
	page = f.browser().open(request("web", "https://web.example/cb"))
	page.isPage(t, "a client of the operator", http.StatusOK, "<strong>web.example</strong>")
	if strings.Contains(page.Body.String(), "registered itself") || strings.Contains(page.Body.String(), "on this computer") {
		t.Errorf("the page warns of a client of the operator: %s", page.Body)
	}
	for _, address := range []string{request("app", callback), request("web", webCallback)} {
		if page := f.browser().open(address); strings.Contains(page.Body.String(), "describes itself at") {
			t.Errorf("the page says that a client without a document has one: %s", page.Body)
		}
	}
	f.clients.Documents = newDescription()
	page = f.browser().open(request(described, "http://localhost:1/callback"))
	page.isPage(t, "a client with a document", http.StatusOK, "describes itself at</dt><dd>client.example</dd>")
	if strings.Contains(page.Body.String(), "registered itself") {
		t.Errorf("the page says that a client with a document registered itself: %s", page.Body)
	}
}

func TestAStateEndsWithItsTransaction(t *testing.T) {
	t.Parallel()
	f := (&elsewhere{}).fixture(t)
	b := f.browser()
	page := b.open(request("app", callback))
	address := b.back(t, page, "u-ana")
	_, id, _ := strings.Cut(page.url, "txn=")
	value, err := f.base.Store.Value(t.Context(), store.HashOf("transaction "+id))
	if err != nil {
		t.Fatal(err)
	}
	value.Expires = time.Now()
	if err := f.base.Store.SetValue(t.Context(), store.HashOf("transaction "+id), value); err != nil {
		t.Fatal(err)
	}
	b.open(address).isPage(t, "a state of an old transaction", http.StatusBadRequest, "This page has expired")
}

// A user who is refused sees why, can log in as another one, and can tell the client.
func TestAUserWhomTheAuthenticatorRefusesHasTwoWaysOut(t *testing.T) {
	t.Parallel()
	e := &elsewhere{refused: map[string]bool{"u-<eve>": true}}
	f := e.fixture(t)
	b := f.browser()
	page := b.open(request("app", callback))
	refused := b.open(b.back(t, page, "u-<eve>"))
	refused.isPage(t, "a refused user", http.StatusForbidden, "u-<eve> may not use this server")
	refused.isPage(t, "a refused user", http.StatusForbidden, page.url+"&switch")
	refused.isPage(t, "a refused user", http.StatusForbidden, callback+"?error=access_denied&error_description=The+user+is+not+logged+in&iss=https%3A%2F%2Fexample.com&state=a%2Bb%2Fc%3D%3D")
	if strings.Contains(refused.Body.String(), "<eve>") || strings.Contains(refused.Body.String(), "on no list") || !strings.Contains(f.log.String(), "the user is on no list") {
		t.Errorf("the page is %s, the log %s", refused.Body, f.log)
	}
	again := b.open(page.url + "&switch")
	again.isPage(t, "the login page again", http.StatusOK, page.url+"&switch")
	b.open(b.back(t, again, "u-ana")).isPage(t, "another user", http.StatusOK, `value="approve"`)
}

func TestARefusedUserGetsNoNewTokens(t *testing.T) {
	t.Parallel()
	e := &elsewhere{refused: map[string]bool{}}
	f := e.fixture(t)
	tokens := f.login(t)
	e.refused["u1"] = true
	refuses(t, "a refused user", f.post(tokenPath, url.Values{"grant_type": {grantRefresh}, "client_id": {"app"}, "refresh_token": {tokens.RefreshToken}}), http.StatusBadRequest, "invalid_grant")
}

func TestTheCallbackTakesNoForms(t *testing.T) {
	t.Parallel()
	b := (&elsewhere{}).fixture(t).browser()
	address := b.back(t, b.open(request("app", callback)), "u-ana")
	if v := b.send(http.MethodPost, address, nil); v.Code != http.StatusMethodNotAllowed || v.Header().Get("Allow") != http.MethodGet {
		t.Errorf("a form is answered with %d %v", v.Code, v.Header())
	}
}
