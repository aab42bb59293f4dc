package oauth_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
)

const newPassword = "battery staple"

// diesIn runs a command that is killed after a step of its store. It returns false if the command
// ends before.
func (o operator) diesIn(t *testing.T, step int64, args ...string) (died bool) {
	t.Helper()
	l := &lifetime{die: func(string) {}}
	l.left.Store(step)
	o.Drivers = l.drivers(t)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		o.runs(t, strings.NewReader(newPassword+"\n"), args...)
	}()
	<-ended
	return l.dead.Load()
}

// A member is a user of the store with a session in a browser, a client that has access, and a
// personal access token.
type member struct {
	operator
	user      store.User
	passwords []string // that the user may have
	store     store.Store
	browser   *webBrowser
	client    *agent
	grant     string // its ID
	tokens    tokens // of the client
	personal  string // the personal access token
}

func newMember(t *testing.T) *member {
	t.Helper()
	o := newOperator(t, withPasswords)
	m := &member{operator: o, store: o.open(t), passwords: []string{rightPassword}}
	m.user = addUser(t, m.store, "ana")
	p := o.serveInBubble(t, "127.0.0.1:8080")
	client := func() *http.Client { return p.client }
	m.browser, m.client = newWebBrowser(p.url, client), &agent{url: p.url, client: client}
	err := m.client.register(t.Context())
	if err == nil {
		err = m.client.loginIn(t.Context(), m.browser, m.user.Name)
	}
	if err == nil {
		m.tokens, err = m.client.redeem(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	m.grant, _, _ = strings.Cut(m.client.code, ".")
	m.personal = field(t, m.does(t, "token:create", "CI", "--user", m.user.ID), `\n\n  (\S+)\n\n`)
	return m
}

// A standing is what the pages and routes of a program let a member do, and what the store has.
type standing struct {
	Session        bool   // go on in the browser without a login
	Password       string // with which the user logs in, or "" if there is none
	Client, Token  bool   // call a tool with the token of the client, or with the personal one
	Grants, Tokens int    // that are live
}

// standing asks a program that has just started.
func (m *member) standing(t *testing.T) (now standing) {
	t.Helper()
	p, ctx := m.serveInBubble(t, "127.0.0.1:8080"), t.Context()
	client := func() *http.Client { return p.client }
	m.browser.client, m.client.client = client, client
	var problems []error
	allowed := func(err error) bool {
		if !errors.Is(err, refusal("")) {
			problems = append(problems, err)
		}
		return err == nil
	}
	var err error
	now.Session, err = m.browser.hasSession(ctx)
	problems = append(problems, err)
	for _, password := range m.passwords {
		status, err := newWebBrowser(p.url, client).logIn(ctx, m.user.Name, password)
		if problems = append(problems, err); status == http.StatusOK {
			now.Password = password
			break
		}
	}
	now.Client, now.Token = allowed(m.client.call(ctx, m.tokens.Access)), allowed(m.client.call(ctx, m.personal))
	grants, err := m.store.ListGrants(ctx, m.user.ID, "", 10)
	problems = append(problems, err)
	now.Grants = len(slices.DeleteFunc(grants, func(g store.Grant) bool { return !g.Live(time.Now()) }))
	tokens, err := m.store.ListTokens(ctx, m.user.ID, "", 10)
	now.Tokens = len(tokens)
	if err := errors.Join(append(problems, err)...); err != nil {
		t.Fatal(err)
	}
	return now
}

// A command that is killed has done all or a part of its work, and run again it does the rest. No
// session and no token outlives a change that the user can notice.
func TestACommandThatIsKilledBetweenTwoStepsLosesNothing(t *testing.T) {
	t.Parallel()
	whole := standing{Session: true, Password: rightPassword, Client: true, Token: true, Grants: 1, Tokens: 1}
	disabled := standing{Grants: 1, Tokens: 1}
	loggedOut, changed, revoked := whole, whole, whole
	loggedOut.Session = false
	changed.Session, changed.Password = false, newPassword
	revoked.Client, revoked.Grants = false, 0
	for name, test := range map[string]struct {
		before []string // commands
		flags  []string
		states []standing // from before the command to after it
	}{
		"user:password": {flags: []string{"--password-stdin"}, states: []standing{whole, loggedOut, changed}},
		"user:disable":  {states: []standing{whole, disabled}},
		"user:enable":   {before: []string{"user:disable"}, states: []standing{disabled, whole}},
		"session:end":   {states: []standing{whole, loggedOut}},
		"grant:revoke":  {states: []standing{whole, revoked}},
		"user:remove":   {states: []standing{whole, disabled, {Tokens: 1}, {}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seen := map[standing]bool{}
			for step, died := int64(1), true; died; step++ {
				t.Run(fmt.Sprint("killed after step ", step), func(t *testing.T) {
					died = false // unless this test comes to it
					m := newMember(t)
					for _, command := range test.before {
						m.does(t, command, m.user.ID)
					}
					id := m.user.ID
					switch name {
					case "grant:revoke":
						id = m.grant
					case "user:password":
						m.passwords = append(m.passwords, newPassword)
					}
					args := append(append([]string{name}, test.flags...), "--", id) // the ID of a grant may begin with a hyphen
					died = m.diesIn(t, step, args...)
					state := m.standing(t)
					if seen[state] = true; !slices.Contains(test.states, state) {
						t.Errorf("then the user has %+v, want one of %+v", state, test.states)
					}
					last := test.states[len(test.states)-1]
					code, _, stderr := m.runs(t, strings.NewReader(newPassword+"\n"), args...)
					if code != 0 && (state != last || !strings.Contains(stderr, "there is no ")) {
						t.Errorf("the command again: exit code %d, %s", code, stderr)
					}
					if end := m.standing(t); end != last {
						t.Errorf("after the command again the user has %+v, want %+v", end, last)
					}
				})
			}
			if len(seen) != len(test.states) {
				t.Errorf("the command has %d states, want %d", len(seen), len(test.states))
			}
		})
	}
}
