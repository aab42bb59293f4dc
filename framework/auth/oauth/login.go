package oauth

import (
	"context"
	"crypto/subtle"
	"errors"
	"html/template"
	"log/slog"
	"net/http"
	"net/netip"
	"strconv"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/pages"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
)

// The paths of the pages.
const (
	loginPath   = "/oauth/login"
	consentPath = "/oauth/consent"
)

// A User is a user who has logged in.
type User struct {
	// ID identifies the user for ever. It is the claim sub of tokens. It is required.
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

	// Address is that of the browser, behind the proxies of the program.
	Address netip.Addr

	// Logger is that of the server.
	Logger *slog.Logger

	server      *Server
	transaction *transaction
	client      store.Client
	forwarded   *forward // nil unless the browser comes back
}

// Form writes the form for a name and a password, with the text of a problem: "" for none, or
// "login.wrong".
func (r *LoginRequest) Form(w http.ResponseWriter, status int, problem string) {
	r.form(w, status, problem, "")
}

// FormAfter writes the form for a user who has to wait for a time until the next try.
func (r *LoginRequest) FormAfter(w http.ResponseWriter, wait time.Duration) {
	seconds := strconv.Itoa(int(wait.Seconds()))
	w.Header().Set("Retry-After", seconds)
	r.form(w, http.StatusTooManyRequests, "login.wait", seconds)
}

func (r *LoginRequest) form(w http.ResponseWriter, status int, problem, detail string) {
	r.server.page(w, r.Request, status, pages.Login, map[string]any{
		"Client": clientName(r.client), "Action": r.server.pageURL(loginPath, r.transaction), "CSRF": r.transaction.CSRF, "Problem": problem, "Detail": detail, "Name": r.PostForm.Get("name"),
	})
}

// opened returns a transaction and its client for a request for a page. Without them it
// answers the request.
func (s *Server) opened(w http.ResponseWriter, r *http.Request, id string) (t *transaction, client store.Client, ok bool) {
	t, err := s.transaction(r, id)
	if err == nil && !t.isForAccount() {
		client, err = s.clientOf(r, t)
	}
	switch {
	case errors.Is(err, errTransaction), errors.Is(err, store.ErrNotFound), errors.Is(err, errDocument):
		s.errorPage(w, r, http.StatusBadRequest, errorPage{Key: "error.expired"})
		return nil, client, false
	case err != nil:
		s.failed(w, r, err)
		return nil, client, false
	}
	if r.Method != http.MethodPost {
		return t, client, true
	}
	return t, client, s.ownForm(w, r, t.CSRF)
}

// clientOf returns the client of a transaction.
func (s *Server) clientOf(r *http.Request, t *transaction) (store.Client, error) {
	client, err := s.client(r, t.ClientID)
	if err == nil {
		if _, known := redirectURI(client, t.RedirectURI); !known { // no longer
			err = errTransaction
		}
	}
	return client, err
}

// ownForm reads the form of a page. It answers the request unless the form comes from the page
// itself, in the same browser.
func (s *Server) ownForm(w http.ResponseWriter, r *http.Request, csrf string) bool {
	if r.ParseForm() != nil || checkPageForm(r.PostForm) != nil || s.foreign.Check(r) != nil || subtle.ConstantTimeCompare([]byte(r.PostForm.Get("csrf")), []byte(csrf)) != 1 {
		s.errorPage(w, r, http.StatusForbidden, errorPage{Key: "error.foreign"})
		return false
	}
	return true
}

// login is the page on which users log in. It is skipped for a user who has logged in a short
// time ago, unless the user wants to be another one.
func (s *Server) login(w http.ResponseWriter, r *http.Request) {
	t, client, ok := s.opened(w, r, transactionID(r))
	if !ok {
		return
	}
	session, err := s.session(r)
	if err != nil {
		s.failed(w, r, err)
		return
	}
	if session != nil && r.Method != http.MethodPost && !t.LogIn && !r.URL.Query().Has("switch") {
		s.loggedIn(w, r, t, &session.User)
		return
	}
	s.authenticateUser(w, s.loginRequest(r, t, client))
}

func (s *Server) loginRequest(r *http.Request, t *transaction, client store.Client) *LoginRequest {
	return &LoginRequest{Request: r, Users: s.store, Address: s.address(r), Logger: s.logger(), server: s, transaction: t, client: client}
}

// authenticateUser begins a session of the user whom the authenticator returns.
func (s *Server) authenticateUser(w http.ResponseWriter, r *LoginRequest) {
	user, err := s.config.Authenticator.Authenticate(w, r)
	if refused, ok := errors.AsType[*LoginError](err); ok {
		s.refuseLogin(w, r, refused)
		return
	}
	if err == nil && user == nil {
		return
	}
	if err == nil {
		err = s.remember(w, r.Request, user)
	}
	if err == nil {
		err = s.know(w, r.Request, user)
	}
	if err == nil {
		err = s.noteLogin(r.Context(), user)
	}
	if err != nil {
		s.failed(w, r.Request, err)
		return
	}
	s.logger().InfoContext(r.Context(), "a user logged in", "user", user.ID, "client", quoted(r.client.ID), "address", r.Address)
	s.loggedIn(w, r.Request, r.transaction, user)
}

// noteLogin notes when a user of the store logged in.
func (s *Server) noteLogin(ctx context.Context, user *User) error {
	if _, local := s.config.Authenticator.(PasswordAuthenticator); !local {
		return nil
	}
	return s.store.UpdateUser(ctx, user.ID, func(u *store.User) error {
		u.LoggedIn = time.Now()
		return nil
	})
}

// loggedIn lets a user decide on the consent page, or shows the account page. The
// transaction's cookie changes, in case that somebody else knows the old one.
func (s *Server) loggedIn(w http.ResponseWriter, r *http.Request, t *transaction, user *User) {
	if t.isForAccount() {
		if err := s.end(r.Context(), w, t); err != nil && !errors.Is(err, errTransaction) {
			s.failed(w, r, err)
			return
		}
		s.showPage(w, accountPath)
		return
	}
	t.User, t.LogIn = user, false
	if err := s.renew(r.Context(), w, t); err != nil {
		s.failed(w, r, err)
		return
	}
	s.goTo(w, consentPath, t)
}

// safeURL marks a URL that has been checked, whose scheme may be private.
func safeURL(uri string) template.URL { return template.URL(uri) } //nolint:gosec // the client registered it
