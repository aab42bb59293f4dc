package login_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/login"
	"github.com/bowline-mcp/bowline/framework/auth/oauth"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store/memory"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/servers"
)

type private struct{ servers.Server }

func (*private) Name() string { return "private" }

// A house is an authorization server with the users ana, bob, who is disabled, and cara. Only the
// hash of ana's password takes as long as those of new users.
type house struct {
	store   store.Store
	handler http.Handler
	log     *strings.Builder
}

func newHouse(t *testing.T, options ...login.Option) *house {
	t.Helper()
	h := &house{store: memory.New(), log: &strings.Builder{}}
	keep := store.Driver{Schemes: []string{"memory"}, Open: func(context.Context, string) (store.Store, error) { return h.store, nil }}
	server := oauth.New(oauth.Config{Authenticator: login.Password(options...), Store: "memory:", Drivers: []store.Driver{keep}, Keys: filepath.Join(t.TempDir(), "oauth.keys")})
	app := mcp.New(mcp.Config{Addr: "127.0.0.1:8080", Logger: slog.New(slog.NewTextHandler(h.log, nil))})
	app.Router.Component(server)
	app.Router.Web("private", &private{}).Guard(server.Guard("mcp:use"))
	handler, err := app.Handler()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(app.Close)
	h.handler = handler
	ana, err := login.NewUser(" Ana@Example.com", "correct horse")
	if err != nil {
		t.Fatal(err)
	}
	bob := store.User{ID: "bob", Name: "bob@example.com", Password: quickHash("correct horse"), Created: time.Now(), Disabled: true}
	if err := errors.Join(h.store.CreateUser(t.Context(), ana), h.store.CreateUser(t.Context(), bob)); err != nil {
		t.Fatal(err)
	}
	h.adds(t, "cara@example.com", quickHash("correct horse"))
	client := store.Client{ID: "app", Source: store.Static, RedirectURIs: []string{"https://client.example/cb"}, Created: time.Now()}
	if err := h.store.CreateClient(t.Context(), client); err != nil {
		t.Fatal(err)
	}
	return h
}

// A visit is a browser at the login page.
type visit struct {
	*house
	cookies []*http.Cookie
	url     string
	csrf    string
}

func (h *house) visit(t *testing.T) *visit {
	t.Helper()
	return (&visit{house: h}).begin(t)
}

// again returns a later visit of the same browser, which has got an answer. Its session has ended.
func (v *visit) again(t *testing.T, w *httptest.ResponseRecorder) *visit {
	t.Helper()
	later := &visit{house: v.house}
	for _, cookie := range w.Result().Cookies() {
		if cookie.Name != "oauth_session" {
			later.cookies = append(later.cookies, cookie)
		}
	}
	return later.begin(t)
}

func (v *visit) begin(t *testing.T) *visit {
	t.Helper()
	query := url.Values{
		"response_type": {"code"}, "client_id": {"app"}, "redirect_uri": {"https://client.example/cb"},
		"code_challenge": {"E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"}, "code_challenge_method": {"S256"},
	}
	w := v.send(http.MethodGet, "http://127.0.0.1:8080/oauth/authorize?"+query.Encode(), nil, "192.0.2.1")
	v.cookies, v.url = append(v.cookies, w.Result().Cookies()...), w.Header().Get("Location")
	page := v.send(http.MethodGet, v.url, nil, "192.0.2.1")
	v.csrf = regexp.MustCompile(`name="csrf" value="([^"]*)"`).FindStringSubmatch(page.Body.String())[1]
	return v
}

func (v *visit) send(method, address string, form url.Values, from string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, address, io.NopCloser(strings.NewReader(form.Encode())))
	r.RemoteAddr = from + ":1"
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	for _, cookie := range v.cookies {
		r.AddCookie(cookie)
	}
	w := httptest.NewRecorder()
	v.handler.ServeHTTP(w, r)
	return w
}

// try sends a name and a password.
func (v *visit) try(name, password, from string) *httptest.ResponseRecorder {
	return v.send(http.MethodPost, v.url, url.Values{"csrf": {v.csrf}, "name": {name}, "password": {password}}, from)
}

// isRefused fails the test unless an answer shows the form again.
func isRefused(t *testing.T, what string, w *httptest.ResponseRecorder, status int, text string) {
	t.Helper()
	if w.Code != status || !strings.Contains(w.Body.String(), text) || !strings.Contains(w.Body.String(), `name="password"`) || strings.Contains(w.Body.String(), "horse") {
		t.Errorf("%s: the answer is %d %s, want %d with %q", what, w.Code, w.Body, status, text)
	}
}

func TestAUserLogsInWithNameAndPassword(t *testing.T) {
	t.Parallel()
	v := newHouse(t).visit(t)
	for _, name := range []string{"ana@example.com", " ANA@Example.COM "} {
		if w := v.try(name, "correct horse", "192.0.2.1"); w.Code != http.StatusSeeOther || !strings.HasPrefix(w.Header().Get("Location"), "http://127.0.0.1:8080/oauth/consent?txn=") {
			t.Fatalf("%q: the answer is %d %s", name, w.Code, w.Body)
		}
		v = v.visit(t)
	}
}

func TestAWrongNameOrPasswordIsAnsweredAlike(t *testing.T) {
	t.Parallel()
	v := newHouse(t).visit(t)
	const text = "The name or the password is wrong"
	isRefused(t, "a wrong password", v.try("ana@example.com", "wrong horse", "192.0.2.1"), http.StatusForbidden, text)
	isRefused(t, "no password", v.try("ana@example.com", "", "192.0.2.1"), http.StatusForbidden, text)
	isRefused(t, "an unknown name", v.try("eve@example.com", "correct horse", "192.0.2.1"), http.StatusForbidden, text)
	isRefused(t, "no name", v.try("", "correct horse", "192.0.2.1"), http.StatusForbidden, text)
	isRefused(t, "a disabled user", v.try("bob@example.com", "correct horse", "192.0.2.1"), http.StatusForbidden, text)
	isRefused(t, "a long password", v.try("ana@example.com", strings.Repeat("x", 2000), "192.0.2.1"), http.StatusForbidden, text)
	known, unknown := v.try("ana@example.com", "wrong horse", "192.0.2.2"), v.try("ann@example.com", "wrong horse", "192.0.2.2")
	if strings.ReplaceAll(known.Body.String(), "ana@", "ann@") != unknown.Body.String() {
		t.Errorf("a known name gets\n%s\nan unknown one\n%s", known.Body, unknown.Body)
	}
}

// An unknown name must take as long as a known one, since the time would tell them apart.
func TestTriesAreLimitedByNameAndByAddress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // the hashes take no time
		v := newHouse(t).visit(t)
		for n := range 5 {
			isRefused(t, "a try", v.try("cara@example.com", "wrong horse", "192.0.2."+string(rune('1'+n))), http.StatusForbidden, "wrong")
		}
		w := v.try("Cara@example.com", "correct horse", "192.0.2.9")
		isRefused(t, "the sixth try, from another address", w, http.StatusTooManyRequests, "Too many attempts")
		if w.Header().Get("Retry-After") == "" {
			t.Error("there is no Retry-After")
		}
		v.try("nobody", "wrong horse", "198.51.100.1")
		for n := range 19 {
			name := "user" + string(rune('a'+n))
			v.adds(t, name, quickHash("correct horse"))
			isRefused(t, name, v.try(name, "wrong horse", "198.51.100.1"), http.StatusForbidden, "wrong")
		}
		isRefused(t, "another name from the address", v.try("zoe", "wrong horse", "198.51.100.1"), http.StatusTooManyRequests, "Too many attempts")
		isRefused(t, "another address", v.try("zoe", "wrong horse", "198.51.100.2"), http.StatusForbidden, "wrong")
		time.Sleep(12 * time.Second)
		isRefused(t, "the first name after a while", v.try("cara@example.com", "wrong horse", "192.0.2.9"), http.StatusForbidden, "wrong")
	})
}

// Many people behind one address may log in at once, and one person with many clients.
func TestALoginDoesNotCountAsATry(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		for range 4 {
			isRefused(t, "a wrong password", h.visit(t).try("cara@example.com", "wrong horse", "192.0.2.1"), http.StatusForbidden, "wrong")
		}
		for range 20 {
			if w := h.visit(t).try("cara@example.com", "correct horse", "192.0.2.1"); w.Code != http.StatusSeeOther {
				t.Fatalf("a right password: the answer is %d %s", w.Code, w.Body)
			}
		}
		isRefused(t, "the fifth wrong password", h.visit(t).try("cara@example.com", "wrong horse", "192.0.2.1"), http.StatusForbidden, "wrong")
		isRefused(t, "the sixth", h.visit(t).try("cara@example.com", "wrong horse", "192.0.2.1"), http.StatusTooManyRequests, "Too many attempts")
	})
}

func TestANewUserHasANameAndALongPassword(t *testing.T) {
	t.Parallel()
	user, err := login.NewUser(" Ana@Example.com ", "pässwörd")
	if err != nil || user.Name != "ana@example.com" || user.ID == "" || user.Created.IsZero() || !strings.HasPrefix(user.Password, "$argon2id$v=19$m=7168,t=5,p=1$") || strings.Contains(user.Password, "pässwörd") {
		t.Errorf("the user is %+v, %v", user, err)
	}
	again, err := login.NewUser("ana@example.com", "pässwörd")
	if err != nil || again.Password == user.Password || again.ID == user.ID {
		t.Errorf("two users have one salt or ID: %+v, %v", again, err)
	}
	for what, wrong := range map[string][2]string{
		"use an e-mail address": {" ", "correct horse"}, "needs 8 characters": {"ana", "pässwör"}, "longer than 1024 bytes": {"ana", strings.Repeat("x", 1025)}, "too long; use": {strings.Repeat("a", 255), "correct horse"},
	} {
		if _, err := login.NewUser(wrong[0], wrong[1]); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%q: the error is %v", wrong[0], err)
		}
	}
}
