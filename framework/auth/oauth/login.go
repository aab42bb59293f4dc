package oauth

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/authorize"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/endpoint"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
)

// A User is a user who has logged in.
type User struct {
	// ID identifies the user forever. It is the claim sub of tokens. It is required.
	ID string `json:"id"`

	// Name is the user's name on the pages, such as an e-mail address. It is the claim name of
	// tokens.
	Name string `json:"name"`

	// Claims are further claims of the user's access tokens, such as the groups of the user. They
	// are JSON values. Handlers read them in Principal.Claims; the client can read them too.
	Claims map[string]any `json:"claims,omitempty"`
}

// An Authenticator logs users in.
type Authenticator interface {
	// Authenticate returns the user of a request. It returns nil if it has answered the
	// request itself, such as with a form; the form leads to the same URL, and Authenticate is
	// called again. The user is shown an error page for an error, which is logged; see
	// [LoginError].
	Authenticate(w http.ResponseWriter, r *LoginRequest) (*User, error)
}

// A PasswordAuthenticator logs in users of the server's store with passwords. The commands
// that begin with user: manage them, and users change their passwords on the account page.
type PasswordAuthenticator interface {
	Authenticator

	// NewUser returns a new user for store.Users, or an error for a name or a password that is
	// not accepted, which the user is shown.
	NewUser(name, password string) (store.User, error)

	// CheckPassword reports whether the named user has this password, and counts a wrong one.
	// After too many, it checks nothing, and returns how long the user has to wait.
	CheckPassword(r *LoginRequest, name, password string) (right bool, wait time.Duration, err error)
}

// A LoginRequest is a request for the login page, or one with which a browser comes back from
// another server; see [LoginRequest.Forward]. Forms have been read and checked: they come from
// a page of this server in the same browser.
type LoginRequest struct {
	*http.Request

	// Users are the users of the server's own login.
	Users store.Users

	// Address is the address of the browser, behind the proxies of the program.
	Address netip.Addr

	// Logger is the server's logger.
	Logger *slog.Logger

	login *authorize.Login
}

// Form writes the form for a name and a password, with the text of a problem: "" for none, or
// "login.wrong", which is reported as a failed login (events.LoginFailed).
func (r *LoginRequest) Form(w http.ResponseWriter, status int, problem string) {
	r.login.ShowForm(w, status, problem, "")
}

// FormAfter writes the form for a user who has to wait for a time until the next try, which is
// reported as a lock-out (events.LockedOut).
func (r *LoginRequest) FormAfter(w http.ResponseWriter, wait time.Duration) {
	r.login.ShowWait(w, wait)
}

// Browser returns an ID of the browser of the request if a user with a name has logged in with
// it before, or "". An [Authenticator] lets such a browser try again when others have tried
// too often.
func (r *LoginRequest) Browser(name string) string { return r.login.Browser(name) }

// Button writes the login page with a button, which posts a form to the same URL. The page
// names the client and the host of its redirect URI, so that the user consents before the
// other server, which may know the user, is asked.
func (r *LoginRequest) Button(w http.ResponseWriter, button Button) {
	r.login.Button(w, authorize.Button(button))
}

// Switches reports whether the user has to log in even if the other server knows the user:
// a different user wants to log in, or the client asks for it.
func (r *LoginRequest) Switches() bool { return r.login.Switches() }

// CallbackURL returns the URL to which other servers send the browser back: the issuer with
// the path /oauth/callback.
func (r *LoginRequest) CallbackURL() string { return r.login.Endpoint.URL + endpoint.CallbackPath }

// Forward sends the browser to another server, which sends it back to CallbackURL with the
// parameter state. Location returns the URL for a state. Authenticate is then called again,
// once at most and for the same browser, and Forwarded returns the data.
//
// The request must be a form: no other server may be asked before the user consents
// (specification: Security Best Practices, Confused Deputy Problem).
func (r *LoginRequest) Forward(w http.ResponseWriter, data []byte, location func(state string) string) error {
	return r.login.Forward(w, data, location)
}

// Forwarded returns the data of Forward, if the browser comes back from another server with
// the request.
func (r *LoginRequest) Forwarded() (data []byte, ok bool) {
	if r.login == nil || r.login.Forwarded == nil { // a test may make a request without a login
		return nil, false
	}
	return r.login.Forwarded.Data, true
}

// An Upstream is an [Authenticator] that lets another server log users in, such as those of
// package auth/upstream.
type Upstream interface {
	Authenticator

	// Check returns the mistakes in its configuration. They keep the program from starting.
	Check() error

	// Open gives it the issuer of this server and the store, before the first login. A record
	// of a user has to live for the given time after a login.
	Open(issuer string, records store.Values, lifetime time.Duration)

	// CheckUser returns store.ErrRevoked for a user who may no longer log in. It is called
	// when a client renews its tokens, and at most every 4 seconds for a user whose tokens are
	// used.
	CheckUser(ctx context.Context, id string) error
}

// A Button leads to another server that logs the user in.
type Button struct {
	Name   string   // of the other server, such as GitHub
	URL    string   // of the other server
	Scopes []string // that the other server will be asked for
}

// A LoginError is an error of an [Authenticator] with a page of its own. The page has links to
// log in again, and to the client with the error access_denied.
type LoginError struct {
	Status int
	Text   string // the key of a text in en.json, such as login.refused
	Detail string // the value of the text
	Err    error  // is logged, and not shown
}

func (e *LoginError) Error() string { return fmt.Sprintf("%s: %v", e.Text, e.Err) }

// Unwrap returns Err.
func (e *LoginError) Unwrap() error { return e.Err }

// loginRequest returns a request for an authenticator.
func (s *Server) loginRequest(l *authorize.Login) *LoginRequest {
	return &LoginRequest{Request: l.Request, Users: s.base.Store, Address: s.base.Address(l.Request), Logger: s.base.Logger, login: l}
}

// authenticate logs a user in with the authenticator.
func (s *Server) authenticate(w http.ResponseWriter, l *authorize.Login) (*authorize.User, error) {
	user, err := s.config.Authenticator.Authenticate(w, s.loginRequest(l))
	if refusal, ok := errors.AsType[*LoginError](err); ok {
		err = l.Refuse(refusal.Status, refusal.Text, refusal.Detail, refusal.Err)
	}
	return (*authorize.User)(user), err
}
