// Package login has ways to log users in to the authorization server of package auth/oauth.
package login

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// MinPassword is the minimum length of a password in characters (NIST SP 800-63B).
const MinPassword = 8

// Password returns an authenticator that asks for a name and a password. It finds
// users in the server's store; the command user:create makes them. An answer doesn't tell whether
// a user exists, and takes as long. See [Tries] for how often somebody may be wrong.
func Password(options ...Option) oauth.Authenticator {
	p := &password{tries: tries{limits.NameTries, limits.AddressTries, limits.TriesTime}, running: make(chan struct{}, min(limits.PasswordHashes, max(runtime.GOMAXPROCS(0)/2, 1)))}
	for _, option := range options {
		option(p)
	}
	p.lockouts, p.mistake = newLockouts(p.tries)
	return p
}

// An Option changes an authenticator that [Password] returns.
type Option func(*password)

// Tries sets how many wrong passwords a name may have in a time, and how many an address may
// send for all names. Further ones are refused without a look at the password, until one is
// allowed again. The default is 5 for a name and 20 for an address in a minute.
//
// The address is asked first, so that an address which is refused uses up nobody's tries. A
// browser in which the user has logged in before has its own limit, as large as that of a name.
func Tries(ofName, ofAddress int, per time.Duration) Option {
	return func(p *password) { p.tries = tries{ofName, ofAddress, per} }
}

var _ oauth.PasswordAuthenticator = (*password)(nil)

type password struct {
	tries    tries
	lockouts *lockouts
	mistake  error
	running  chan struct{} // bounds the memory of hashes
}

// Check returns the mistake in the options.
func (p *password) Check() error { return p.mistake }

// Authenticate returns the user of a form that has a name with the right password, or shows
// the form.
func (p *password) Authenticate(w http.ResponseWriter, r *oauth.LoginRequest) (*oauth.User, error) {
	if r.Method != http.MethodPost {
		r.Form(w, http.StatusOK, "")
		return nil, nil
	}
	name, given := Name(r.PostForm.Get("name")), r.PostForm.Get("password")
	if len(name) > limits.MaxUserName { // nobody has such a name
		name = name[:limits.MaxUserName+1]
	}
	user, wait, err := p.attempt(r, name, given)
	switch {
	case wait > 0:
		r.FormAfter(w, wait)
		return nil, nil
	case errors.Is(err, errWrong):
		r.Form(w, http.StatusForbidden, "login.wrong")
		return nil, nil
	case err != nil:
		return nil, err
	}
	return &oauth.User{ID: user.ID, Name: user.Name}, nil
}

// CheckPassword reports whether the named user has this password.
func (p *password) CheckPassword(r *oauth.LoginRequest, name, given string) (right bool, wait time.Duration, err error) {
	_, wait, err = p.attempt(r, name, given)
	if errors.Is(err, errWrong) {
		return false, 0, nil
	}
	return err == nil && wait == 0, wait, err
}

// attempt returns the user with a name and a password, errWrong, or the time until the next
// try.
func (p *password) attempt(r *oauth.LoginRequest, name, given string) (user store.User, wait time.Duration, err error) {
	try := p.lockouts.begin(r, name)
	if try.wait > 0 {
		return user, try.wait, nil
	}
	user, err = p.check(r.Context(), r.Users, name, given)
	if !errors.Is(err, errWrong) { // the store may have failed
		try.takeBack()
	}
	return user, 0, err
}

// NewUser returns a user for the command user:create.
func (*password) NewUser(name, password string) (store.User, error) { return NewUser(name, password) }

// errWrong means that a name or a password is wrong.
var errWrong = errors.New("the name or the password is wrong")

// check returns the user with a name and a password.
func (p *password) check(ctx context.Context, users store.Users, name, given string) (store.User, error) {
	user, err := users.UserByName(ctx, name)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return user, err
	}
	hash := user.Password
	if hash == "" {
		hash = nobody
	}
	select {
	case p.running <- struct{}{}:
		defer func() { <-p.running }()
	case <-ctx.Done():
		return user, ctx.Err()
	}
	right, hashErr := matches(given, hash)
	switch {
	case hashErr != nil:
		return user, fmt.Errorf("the password of the user %s: %w", user.ID, hashErr)
	case !right, err != nil, user.Disabled:
		return user, errWrong
	}
	return user, nil
}

// Name returns a name as users are found by: e-mail addresses differ only in their letters.
func Name(text string) string { return strings.ToLower(strings.TrimSpace(text)) }

// NewUser returns a user with a password for store.Users. It returns an error for a name or
// password that is not accepted.
func NewUser(name, password string) (store.User, error) {
	name = Name(name)
	switch {
	case name == "" || len(name) > limits.MaxUserName:
		return store.User{}, errors.New("the name is empty or too long; use an e-mail address")
	case len([]rune(password)) < MinPassword:
		return store.User{}, fmt.Errorf("the password is too short; it needs %d characters or more", MinPassword)
	case len(password) > limits.MaxPassword:
		return store.User{}, fmt.Errorf("the password is longer than %d bytes", limits.MaxPassword)
	}
	return store.User{ID: rand.Text(), Name: name, Password: hashOf(password), Created: time.Now()}, nil
}
