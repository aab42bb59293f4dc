package oauth

import (
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/pages"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
)

// The paths of the pages.
const (
	loginPath   = "/oauth/login"
	consentPath = "/oauth/consent"
)

// maxUser is the maximum size of a user in bytes of JSON. A request has at most 8 KiB for its
// access token, which has the claims of the user.
const maxUser = 4 << 10

// sessionTime is how long a login is remembered.
const sessionTime = time.Hour

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

// Form writes the form for a name and a password, with the text of a problem: "" for none,
// "login.wrong" or "login.wait".
func (r *LoginRequest) Form(w http.ResponseWriter, status int, problem string) {
	r.server.page(w, r.Request, status, pages.Login, map[string]any{
		"Client": clientName(r.client), "Action": r.server.pageURL(loginPath, r.transaction), "CSRF": r.transaction.CSRF, "Problem": problem, "Name": r.PostForm.Get("name"),
	})
}

// opened returns a transaction and its client for a request for a page. Without them it
// answers the request.
func (s *Server) opened(w http.ResponseWriter, r *http.Request, id string) (t *transaction, client store.Client, ok bool) {
	t, err := s.transaction(r, id)
	if err == nil {
		client, err = s.client(r, t.ClientID)
	}
	if err == nil {
		if _, known := redirectURI(client, t.RedirectURI); !known { // any more
			err = errTransaction
		}
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
	if r.ParseForm() != nil || checkPageForm(r.PostForm) != nil || s.foreign.Check(r) != nil || subtle.ConstantTimeCompare([]byte(r.PostForm.Get("csrf")), []byte(t.CSRF)) != 1 {
		s.errorPage(w, r, http.StatusForbidden, errorPage{Key: "error.foreign"})
		return nil, client, false
	}
	return t, client, true
}

// login is the page on which users log in. It is skipped for a user who has logged in a short
// time ago, unless the user wants to be another one.
func (s *Server) login(w http.ResponseWriter, r *http.Request) {
	t, client, ok := s.opened(w, r, transactionID(r))
	if !ok {
		return
	}
	if user := s.session(r); user != nil && r.Method != http.MethodPost && !t.LogIn && !r.URL.Query().Has("switch") {
		s.loggedIn(w, r, t, user)
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
	if err != nil {
		s.failed(w, r.Request, err)
		return
	}
	s.logger().InfoContext(r.Context(), "a user logged in", "user", user.ID, "client", quoted(r.client.ID), "address", r.Address)
	s.loggedIn(w, r.Request, r.transaction, user)
}

// loggedIn lets a user decide on the consent page. The transaction's cookie changes, in case
// that somebody else knows the old one.
func (s *Server) loggedIn(w http.ResponseWriter, r *http.Request, t *transaction, user *User) {
	t.User, t.LogIn = user, false
	if err := s.renew(r.Context(), w, t); err != nil {
		s.failed(w, r, err)
		return
	}
	s.goTo(w, consentPath, t)
}

// remember begins a session of a user who has logged in.
func (s *Server) remember(w http.ResponseWriter, r *http.Request, user *User) error {
	if user.ID == "" {
		return errors.New("the authenticator returned a user without an ID; set User.ID")
	}
	data, err := json.Marshal(user)
	if err != nil {
		return err
	}
	if len(data) > maxUser {
		return fmt.Errorf("the authenticator returned a user of %d bytes as JSON; access tokens have room for %d: leave out claims", len(data), maxUser)
	}
	session := s.setCookie(w, sessionCookie, sessionTime)
	return s.store.SetValue(r.Context(), keyOf(sessionKey, session), store.Value{Data: data, Expires: time.Now().Add(sessionTime)})
}

// session returns the user who has logged in with the browser of a request, or nil.
func (s *Server) session(r *http.Request) *User {
	id := s.cookie(r, sessionCookie)
	if id == "" {
		return nil
	}
	value, err := s.store.Value(r.Context(), keyOf(sessionKey, id))
	if err != nil || !time.Now().Before(value.Expires) {
		return nil
	}
	user := &User{}
	if json.Unmarshal(value.Data, user) != nil || user.ID == "" {
		return nil
	}
	return user
}

// safeURL marks a URL that has been checked, whose scheme may be private.
func safeURL(uri string) template.URL { return template.URL(uri) } //nolint:gosec // the client registered it
