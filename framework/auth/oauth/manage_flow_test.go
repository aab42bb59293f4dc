package oauth_test

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth"
	"github.com/bowline-mcp/bowline/framework/auth/oauth"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
)

// The commands run beside the program, which refuses the calls of a user who is disabled within 100 ms.
func TestAUserIsDisabledEnabledAndRemoved(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := serveInBubble(t, withPasswords)
		p.does(t, "user:create", "ana@example.com", "--password-stdin")
		p.does(t, "user:create", "bob@example.com", "--password-stdin")
		token := field(t, p.does(t, "token:create", "CI", "--user", "ana@example.com"), `\n\n  (\S+)\n\n`)
		calls := func(when string, status int) {
			t.Helper()
			time.Sleep(100 * time.Millisecond)
			if w, text := p.call(t, token); w.StatusCode != status {
				t.Errorf("%s: the call is answered with %d %s", when, w.StatusCode, text)
			}
		}
		calls("first", http.StatusOK)
		if text := p.does(t, "user:disable", "ana@example.com"); !strings.HasPrefix(text, "The user ana@example.com can't log in, and this program refuses the user's tokens.") {
			t.Error(text)
		}
		calls("disabled", http.StatusUnauthorized)
		p.fails(t, 1, "the user ana@example.com is disabled; enable the user with mcp user:enable ana@example.com", "token:create", "x", "--user", "ana@example.com")
		list := p.does(t, "user:list")
		if !regexp.MustCompile(`(?m)^\S+ +ana@example.com +disabled +\d{4}-\d\d-\d\d +-$`).MatchString(list) || !regexp.MustCompile(`(?m)^\S+ +bob@example.com +enabled `).MatchString(list) {
			t.Errorf("the list is\n%s", list)
		}
		p.does(t, "user:enable", "ANA@example.com")
		calls("enabled", http.StatusOK)
		if text := p.does(t, "user:remove", "ana@example.com"); text != "The user ana@example.com was removed. Access that ended: 0 of clients, 1 of personal access tokens.\n" {
			t.Error(text)
		}
		calls("removed", http.StatusUnauthorized)
		for _, args := range [][]string{{"user:remove"}, {"user:disable"}, {"user:enable"}, {"user:password", "--password-stdin"}, {"session:end"}} {
			p.fails(t, 1, `there is no user "ana@example.com"; make one with mcp user:create`, append(args, "ana@example.com")...)
		}
		if list := p.does(t, "user:list"); strings.Contains(list, "ana") || !strings.Contains(list, "bob") {
			t.Errorf("the list is\n%s", list)
		}
		p.does(t, "user:create", "ana@example.com", "--password-stdin")
	})
}

// A command that is killed may leave the access of a user whom it has removed. A user without any is
// unknown as before.
func TestTheRestOfARemovedUserIsRemovedByTheID(t *testing.T) {
	t.Parallel()
	const company = "https://login.example.com"
	o := newOperator(t, withPasswords, func(c *oauth.Config) { c.IdentityProviders = []auth.Issuer{{URL: company}} })
	s := o.open(t)
	grant := func(id, user string) {
		t.Helper()
		if err := s.CreateGrant(t.Context(), store.Grant{ID: id, ClientID: "client of " + user, UserID: user, UserName: "ana", Created: time.Now(), Expires: time.Now().Add(time.Hour)}, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"ana", "bob"} {
		user := addUser(t, s, name).ID
		grant(name, user)
		o.does(t, "token:create", "CI", "--user", user)
		o.does(t, "token:create", "laptop", "--user", user)
	}
	grant("provided", company+"|ana")
	if err := s.DeleteUser(t.Context(), "u-ana"); err != nil {
		t.Fatal(err)
	}
	if text, want := o.does(t, "user:remove", "u-ana"), "The user u-ana was removed before. Access that ended now: 1 of clients, 2 of personal access tokens.\n"; text != want {
		t.Errorf("got %q, want %q", text, want)
	}
	for _, unknown := range []string{"u-ana", "ana", company + "|ana"} {
		o.fails(t, 1, `there is no user "`+unknown+`"; make one with mcp user:create`, "user:remove", unknown)
	}
	for id, live := range map[string]bool{"ana": false, "bob": true, "provided": true} {
		if found, err := s.Grant(t.Context(), id); err != nil || found.Live(time.Now()) != live {
			t.Errorf("the grant of %s is %+v, %v", id, found, err)
		}
	}
	if tokens, err := s.ListTokens(t.Context(), "", "", 10); err != nil || len(tokens) != 2 || tokens[0].UserID != "u-bob" || tokens[1].UserID != "u-bob" {
		t.Errorf("the tokens are %+v, %v", tokens, err)
	}
}

// An unreadable store can look up no user by the ID.
type unreadable struct{ store.Store }

func (unreadable) User(context.Context, string) (store.User, error) {
	return store.User{}, errors.New("the connection was lost")
}

func TestNothingIsRemovedOfAUserWhomTheStoreCannotFind(t *testing.T) {
	t.Parallel()
	o := newOperator(t, withPasswords)
	s := o.open(t)
	user := addUser(t, s, "ana").ID
	o.does(t, "token:create", "CI", "--user", user)
	for i, driver := range o.Drivers {
		o.Drivers[i].Open = func(ctx context.Context, address string) (store.Store, error) {
			opened, err := driver.Open(ctx, address)
			return unreadable{opened}, err
		}
	}
	o.fails(t, 1, "the connection was lost", "user:remove", user)
	if tokens, err := s.ListTokens(t.Context(), user, "", 10); err != nil || len(tokens) != 1 {
		t.Errorf("the tokens are %+v, %v", tokens, err)
	}
}

func TestAPasswordIsSetByACommand(t *testing.T) {
	t.Parallel()
	o := newOperator(t, withPasswords)
	o.does(t, "user:create", "ana@example.com", "--password-stdin")
	users := o.open(t)
	before, err := users.UserByName(t.Context(), "ana@example.com")
	if err != nil {
		t.Fatal(err)
	}
	o.fails(t, 1, "the first line of stdin is empty", "user:password", "ana@example.com", "--password-stdin")
	code, _, stderr := o.runs(t, strings.NewReader("short\n"), "user:password", "ana@example.com", "--password-stdin")
	if code != 1 || !strings.Contains(stderr, "the password is too short") {
		t.Errorf("a short password: exit code %d, %s", code, stderr)
	}
	if user, err := users.User(t.Context(), before.ID); err != nil || user.Password != before.Password {
		t.Errorf("a refused password changes the user: %v", err)
	}
	text := o.does(t, "user:password", before.ID, "--password-stdin")
	if want := "The password of ana@example.com is changed, and all browsers are logged out. Clients keep their access; mcp grant:list --user " + before.ID + " shows it.\n"; text != want {
		t.Errorf("got %q, want %q", text, want)
	}
	if user, err := users.User(t.Context(), before.ID); err != nil || user.Password == before.Password || user.Password == "" {
		t.Errorf("the password is not changed: %v", err)
	}
}

func TestGrantsAreListedAndRevokedByCommands(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := serveInBubble(t)
		a := &agent{url: p.url, client: func() *http.Client { return p.client }}
		if err := a.register(t.Context()); err != nil {
			t.Fatal(err)
		}
		got := map[string]tokens{}
		for _, user := range []string{"ana", "bob"} {
			if err := a.login(t.Context(), user); err != nil {
				t.Fatal(err)
			}
			var err error
			if got[user], err = a.redeem(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		line := regexp.MustCompile(`(?m)^(\S+) +ana +` + regexp.QuoteMeta(a.id) + ` +mcp:use +\d{4}-\d\d-\d\d +\d{4}-\d\d-\d\d \d\d:\d\d +\d{4}-\d\d-\d\d$`)
		all, theirs := p.does(t, "grant:list"), p.does(t, "grant:list", "--user", "ana")
		if found := line.FindStringSubmatch(theirs); found == nil || !strings.Contains(all, found[0]) || strings.Contains(theirs, " bob ") || !strings.Contains(all, " bob ") {
			t.Fatalf("the lists are\n%s\n%s", all, theirs)
		}
		id := line.FindStringSubmatch(theirs)[1]
		// The ID may begin with a hyphen.
		if text := p.does(t, "grant:revoke", "--", id); text != "The access of the client "+a.id+" is ended. Other programs accept its access token until it expires.\n" {
			t.Error(text)
		}
		time.Sleep(100 * time.Millisecond)
		for user, want := range map[string]error{"ana": refusal(""), "bob": nil} {
			if err := a.call(t.Context(), got[user].Access); err != want {
				t.Errorf("the call of %s is answered with %v, want %v", user, err, want)
			}
		}
		if _, err := a.refresh(t.Context(), got["ana"].Refresh); err != refusal("invalid_grant") {
			t.Errorf("the refresh token is answered with %v", err)
		}
		p.fails(t, 1, `there is no grant "`+id+`"; mcp grant:list shows the IDs`, "grant:revoke", "--", id)
		p.fails(t, 1, `there is no grant "unknown"`, "grant:revoke", "unknown")
		if text := p.does(t, "session:end", "ana"); text != "The user ana is logged out of all browsers. Clients keep their access.\n" {
			t.Error(text)
		}
	})
}

// logsIn lets a user with a password log in for the account page, and returns the browser.
func (p *program) logsIn(t *testing.T, name string) *webBrowser {
	t.Helper()
	b := newWebBrowser(p.url, func() *http.Client { return p.client })
	if _, err := b.logIn(t.Context(), name, rightPassword); err != nil {
		t.Fatal(err)
	}
	if !b.isLoggedIn(t, name) {
		t.Fatalf("%s is not logged in", name)
	}
	return b
}

// isLoggedIn reports whether a browser shows the account of a user, and not the login page.
func (b *webBrowser) isLoggedIn(t *testing.T, name string) bool {
	t.Helper()
	page, err := b.open(t.Context(), b.url+"/oauth/account")
	if account := strings.Contains(page.text, name); err != nil || page.status != http.StatusOK || account != page.isAccount() {
		t.Fatalf("the page is %d %s, %v", page.status, page.text, err)
	}
	return page.isAccount()
}

func TestTheListOfUsersHasTheirLastLogin(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := serveInBubble(t, withPasswords)
		p.does(t, "user:create", "ana@example.com", "--password-stdin")
		p.does(t, "user:create", "bob@example.com", "--password-stdin")
		created := time.Now().UTC().Format(time.DateOnly)
		for range 2 {
			time.Sleep(26*time.Hour + 7*time.Minute)
			p.logsIn(t, "ana@example.com")
			last := time.Now().UTC().Format("2006-01-02 15:04")
			time.Sleep(time.Hour)
			list := p.does(t, "user:list")
			for name, want := range map[string]string{"ana": last, "bob": "-"} {
				if !regexp.MustCompile(`(?m)^\S+ +` + name + `@example\.com +enabled +` + created + ` +` + want + `$`).MatchString(list) {
					t.Errorf("the last login of %s is not %s:\n%s", name, want, list)
				}
			}
		}
	})
}

// The command ends what a browser of the running program remembers.
func TestACommandLogsAUserOutOfAllBrowsers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := serveInBubble(t, withPasswords)
		for _, name := range []string{"ana@example.com", "bob@example.com"} {
			p.does(t, "user:create", name, "--password-stdin")
		}
		first, second, others := p.logsIn(t, "ana@example.com"), p.logsIn(t, "ana@example.com"), p.logsIn(t, "bob@example.com")
		time.Sleep(time.Minute)
		p.does(t, "session:end", "Ana@example.com")
		if first.isLoggedIn(t, "ana@example.com") || second.isLoggedIn(t, "ana@example.com") {
			t.Error("a browser of the user is logged in")
		}
		if !others.isLoggedIn(t, "bob@example.com") {
			t.Error("another user is logged out")
		}
		time.Sleep(time.Second)
		again := p.logsIn(t, "ana@example.com")
		time.Sleep(59 * time.Minute)
		if !again.isLoggedIn(t, "ana@example.com") {
			t.Error("a login after the command has ended")
		}
	})
}

// Users who log in elsewhere are managed there.
func TestCommandsForUsersNeedPasswords(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	for _, args := range [][]string{{"user:create", "x"}, {"user:list"}, {"user:password", "x"}, {"user:disable", "x"}, {"user:enable", "x"}, {"user:remove", "x"}} {
		o.fails(t, 1, "the store has no users, since Config.Authenticator logs them in elsewhere", args...)
	}
}
