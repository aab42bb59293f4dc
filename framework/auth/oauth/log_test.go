package oauth_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/login"
	"github.com/bowline-mcp/bowline/framework/auth/oauth"
	"github.com/bowline-mcp/bowline/framework/events"
)

var update = flag.Bool("update", false, "write the log lines and events of the authorization server into testdata/log.golden")

// The golden file has the log lines and the events of everything that the authorization server
// reports, with one value in place of those that differ between runs.
func TestTheLogAndTheEventsOfAnAuthorizationServer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := watch(t, login.Password())
		addUser(t, w.store, "ana")
		w.secrets = []string{rightPassword, "battery", "wrong horse", verifier}
		client := w.logIns(t)
		w.tokens(t, client)
		w.revocations(t, client)
		w.account(t, client)
		w.failures(t, client)
		w.commands(t, client)
		other := &directory{}
		elsewhere := watch(t, other)
		elsewhere.upstream(t, other)
		got := append(w.golden.Bytes(), elsewhere.golden.Bytes()...)
		if *update {
			if err := os.WriteFile("testdata/log.golden", got, 0o600); err != nil {
				t.Fatal(err)
			}
			return
		}
		want, err := os.ReadFile("testdata/log.golden")
		if err != nil || string(want) != string(got) {
			t.Errorf("the lines and events differ from testdata/log.golden, which -update writes (%v):\n%s", err, got)
		}
	})
}

// logIns registers a client and logs ana in. It returns the client.
func (w *watched) logIns(t *testing.T) (client string) {
	t.Helper()
	w.step(t, "a client registers", func() {
		_, text := do(t, w.client, http.MethodPost, watchedURL+"/oauth/register", "application/json",
			`{"client_name":"Editor","redirect_uris":["`+callback+`"],"token_endpoint_auth_method":"none"}`)
		var registered struct {
			ID string `json:"client_id"`
		}
		if err := json.Unmarshal([]byte(text), &registered); err != nil {
			t.Fatal(err)
		}
		client = registered.ID
	})
	b := w.browser()
	tries := func(user, password string) {
		t.Helper()
		p, err := b.open(t.Context(), w.request(client, callback))
		if err == nil {
			_, err = b.submit(t.Context(), p, url.Values{"name": {user}, "password": {password}})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	w.step(t, "a wrong password", func() { tries("ana", "wrong horse") })
	w.step(t, "an unknown user", func() { tries(strings.Repeat("x", 300), "wrong horse") })
	w.step(t, "a lock-out, reported once", func() {
		for range 7 {
			tries("eve", "wrong horse")
		}
	})
	w.step(t, "a login, and consent to one of two scopes", func() { w.code(t, b, client, "ana") })
	w.step(t, "denied consent", func() {
		p, err := b.open(t.Context(), w.request(client, callback))
		if err == nil {
			_, err = b.submit(t.Context(), p, url.Values{"decision": {"deny"}})
		}
		if err != nil || b.answer.Get("error") != "access_denied" {
			t.Fatalf("the client is answered with %v, %v", b.answer, err)
		}
	})
	return client
}

// tokens gets tokens for a client, and uses a code and a refresh token twice.
func (w *watched) tokens(t *testing.T, client string) {
	t.Helper()
	b, found := w.browser(), tokens{}
	code := w.code(t, b, client, "ana")
	w.step(t, "a code is exchanged", func() { _, found = w.redeem(t, client, code, verifier) })
	w.step(t, "tokens are refreshed", func() { w.refresh(t, client, found.Refresh) })
	time.Sleep(time.Minute)
	w.step(t, "a refresh token is reused, reported once", func() {
		w.refresh(t, client, found.Refresh)
		w.refresh(t, client, found.Refresh)
	})
	code = w.code(t, b, client, "ana")
	w.redeem(t, client, code, verifier)
	w.step(t, "a code is reused, reported once", func() {
		w.redeem(t, client, code, verifier)
		w.redeem(t, client, code, verifier)
	})
	text := w.runs(t, "client:create", "Robot", "--machine", "--scope", "mcp:use")
	machine, secret := field(t, text, `client_id +(\S+)`), field(t, text, `client_secret +(\S+)`)
	w.secrets = append(w.secrets, secret)
	w.masks = append(w.masks, mask{regexp.MustCompile(machine), "MACHINE"})
	w.step(t, "a client gets a token for itself", func() {
		w.post(t, "/oauth/token", url.Values{"grant_type": {"client_credentials"}, "client_id": {machine}, "client_secret": {secret}})
	})
	w.step(t, "a wrong client secret", func() {
		w.post(t, "/oauth/token", url.Values{"grant_type": {"client_credentials"}, "client_id": {machine}, "client_secret": {"wrong horse"}})
	})
}

// revocations ends grants of a client.
func (w *watched) revocations(t *testing.T, client string) {
	t.Helper()
	b := w.browser()
	_, found := w.redeem(t, client, w.code(t, b, client, "ana"), verifier)
	w.step(t, "a client revokes its grant by the refresh token", func() {
		w.post(t, "/oauth/revoke", url.Values{"client_id": {client}, "token": {found.Refresh}})
		w.post(t, "/oauth/revoke", url.Values{"client_id": {client}, "token": {found.Refresh}})
	})
	_, found = w.redeem(t, client, w.code(t, b, client, "ana"), verifier)
	w.step(t, "a client revokes its grant by the access token", func() {
		w.post(t, "/oauth/revoke", url.Values{"client_id": {client}, "token": {found.Access}})
	})
	code := w.code(t, b, client, "ana")
	w.step(t, "too many wrong verifiers, reported once", func() {
		for range 12 {
			w.redeem(t, client, code, strings.Repeat("a", 43))
		}
	})
}

// account uses the account page.
func (w *watched) account(t *testing.T, client string) {
	t.Helper()
	b := w.browser()
	w.redeem(t, client, w.code(t, b, client, "ana"), verifier)
	submits := func(fields url.Values) {
		t.Helper()
		p, err := b.open(t.Context(), watchedURL+"/oauth/account")
		if err == nil {
			_, err = b.submit(t.Context(), p, fields)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	w.step(t, "a user ends the access of a client", func() { submits(url.Values{"client": {client}}) })
	w.step(t, "a wrong password on the account page", func() { submits(url.Values{"password": {"wrong horse"}, "new": {"correct horse battery"}}) })
	w.step(t, "a user changes the password", func() { submits(url.Values{"password": {rightPassword}, "new": {rightPassword}}) })
	w.step(t, "a lock-out on the account page", func() {
		for range 6 {
			submits(url.Values{"password": {"wrong horse"}, "new": {"correct horse battery"}})
		}
	})
	w.step(t, "a user logs out", func() { submits(url.Values{"logout": {"1"}}) })
}

// failures sends requests that are refused, and some while the store is down. The answers to the
// latter have the ID of the request.
func (w *watched) failures(t *testing.T, client string) {
	t.Helper()
	b := w.browser()
	opens := func(address string) (text string) {
		t.Helper()
		p, err := b.open(t.Context(), address)
		if err != nil {
			t.Fatal(err)
		}
		return p.text
	}
	w.step(t, "an unknown client", func() { opens(w.request("nobody"+strings.Repeat("x", 200), callback)) })
	w.step(t, "an unknown redirect URI", func() { opens(w.request(client, "https://evil.example/"+strings.Repeat("x", 200))) })
	w.step(t, "a registration that is refused", func() {
		do(t, w.client, http.MethodPost, watchedURL+"/oauth/register", "application/json", `{"redirect_uris":["http://evil.example"]}`)
	})
	w.store.down = true
	var page, answer string
	w.step(t, "a page while the store is down", func() {
		page = opens(w.request(client, callback))
		w.shows(t, page, "Request ")
	})
	w.step(t, "tokens while the store is down", func() {
		_, _, answer = w.post(t, "/oauth/token", url.Values{"grant_type": {"refresh_token"}, "client_id": {client}, "refresh_token": {"x"}})
		w.shows(t, answer, "The server failed; its log says why (request ")
	})
	w.store.down = false
}

// shows fails the test unless a text has the ID of the last line of the log behind another text.
func (w *watched) shows(t *testing.T, text, before string) {
	t.Helper()
	id := regexp.MustCompile(`"request":"(\w+)"`).FindStringSubmatch(w.log.String())
	if id == nil || !strings.Contains(text, before+id[1]) {
		t.Errorf("the answer doesn't have the request %v: %s", id, text)
	}
}

// commands runs the commands that change users and grants. They print what they do.
func (w *watched) commands(t *testing.T, client string) {
	t.Helper()
	w.redeem(t, client, w.code(t, w.browser(), client, "ana"), verifier)
	grant := regexp.MustCompile(`(?m)^(\S+) +ana +dcr_`).FindStringSubmatch(w.runs(t, "grant:list"))
	for _, args := range [][]string{
		{"user:create", "bob@example.com", "--password-stdin"},
		{"user:password", "bob@example.com", "--password-stdin"},
		{"user:disable", "bob@example.com"},
		{"user:enable", "bob@example.com"},
		{"user:remove", "bob@example.com"},
		{"grant:revoke", grant[1]},
		{"session:end", "ana"},
	} {
		w.step(t, "the command "+args[0], func() { w.runs(t, args...) })
	}
}

// A directory is another server that logs users in, which refuses everybody, or fails.
type directory struct{ fails bool }

func (d *directory) Authenticate(http.ResponseWriter, *oauth.LoginRequest) (*oauth.User, error) {
	if d.fails {
		return nil, &oauth.LoginError{Status: http.StatusBadGateway, Text: "login.upstream", Detail: "Directory", Err: errors.New("the directory does not answer")}
	}
	return nil, &oauth.LoginError{Status: http.StatusForbidden, Text: "login.refused", Detail: "eve", Err: errors.New("the user eve is on no list")}
}

// upstream logs in at another server.
func (w *watched) upstream(t *testing.T, other *directory) {
	t.Helper()
	opens := func() {
		t.Helper()
		if _, err := w.browser().open(t.Context(), watchedURL+"/oauth/account"); err != nil {
			t.Fatal(err)
		}
	}
	w.step(t, "another server refuses a user", opens)
	other.fails = true
	w.step(t, "another server fails", opens)
}

// A panic of a listener is logged with the ID of the request, and the user is logged in.
func TestAListenerThatPanicsBreaksNoLogin(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := watch(t, login.Password())
		addUser(t, w.store, "ana")
		events.Listen(w.app.Events, func(ctx context.Context, _ events.LoggedIn) {
			if ctx.Done() != nil {
				t.Error("the context of the listener ends with the request")
			}
			panic("boom")
		})
		w.step(t, "", func() {
			if status, err := w.browser().logIn(t.Context(), "ana", rightPassword); err != nil || status != http.StatusOK {
				t.Errorf("the login is answered with %d, %v", status, err)
			}
		})
		if log := w.log.String(); !strings.Contains(log, `"msg":"a listener panicked","event":"events.LoggedIn","panic":"boom"`) {
			t.Errorf("the log is %s", log)
		}
	})
}
