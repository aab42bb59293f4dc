package oauth

import (
	"crypto/subtle"
	"encoding/json"
	"errors"
	"html/template"
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

// sessionTime is how long a login is remembered.
const sessionTime = time.Hour

// A User is a user who has logged in.
type User struct {
	// ID identifies the user for ever. It is the claim sub of tokens.
	ID string `json:"id"`

	// Name is the user's name on the pages, such as an e-mail address.
	Name string `json:"name"`

	// Claims are further facts about the user. They must be JSON values.
	Claims map[string]any `json:"claims,omitempty"`
}

// An Authenticator logs users in.
type Authenticator interface {
	// Authenticate returns the user of a request. It returns nil if it has answered the
	// request itself, such as with a form; the form leads to the same URL, and Authenticate is
	// called again. The user is shown an error page for an error, which is logged.
	Authenticate(w http.ResponseWriter, r *LoginRequest) (*User, error)
}

// A LoginRequest is a request for the login page. Forms have been read and checked: they come
// from a page of this server in the same browser.
type LoginRequest struct {
	*http.Request

	// Users are the users of the server's own login.
	Users store.Users

	// Address is that of the browser, behind the proxies of the program.
	Address netip.Addr

	server      *Server
	transaction *transaction
	client      store.Client
}

// Form writes the form for a name and a password, with the text of a problem: "" for none,
// "login.wrong" or "login.wait".
func (r *LoginRequest) Form(w http.ResponseWriter, status int, problem string) {
	r.server.page(w, r.Request, status, pages.Login, map[string]any{
		"Client": clientName(r.client), "Action": r.server.pageURL(loginPath, r.transaction), "CSRF": r.transaction.CSRF, "Problem": problem, "Name": r.PostForm.Get("name"),
	})
}

// opened returns the transaction and the client of a request for a page. Without them it
// answers the request.
func (s *Server) opened(w http.ResponseWriter, r *http.Request) (t *transaction, client store.Client, ok bool) {
	t, err := s.transaction(r)
	if err == nil {
		client, err = s.client(r.Context(), t.ClientID)
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
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if r.ParseForm() != nil || s.foreign.Check(r) != nil || subtle.ConstantTimeCompare([]byte(r.PostForm.Get("csrf")), []byte(t.CSRF)) != 1 {
		s.errorPage(w, r, http.StatusForbidden, errorPage{Key: "error.foreign"})
		return nil, client, false
	}
	return t, client, true
}

// login is the page on which users log in. It is skipped for a user who has logged in a short
// time ago, unless the user wants to be another one.
func (s *Server) login(w http.ResponseWriter, r *http.Request) {
	t, client, ok := s.opened(w, r)
	if !ok {
		return
	}
	user := s.session(r)
	if user == nil || r.Method == http.MethodPost || r.URL.Query().Has("switch") {
		var err error
		user, err = s.config.Authenticator.Authenticate(w, &LoginRequest{Request: r, Users: s.store, Address: s.address(r), server: s, transaction: t, client: client})
		if err != nil {
			s.failed(w, r, err)
			return
		}
		if user == nil {
			return
		}
		if err := s.remember(w, r, t, user); err != nil {
			s.failed(w, r, err)
			return
		}
	}
	t.User = user
	if err := s.keep(r.Context(), t); err != nil {
		s.failed(w, r, err)
		return
	}
	s.goTo(w, consentPath, t)
}

// remember begins a session of a user who has logged in. The cookie of the transaction changes
// too, in case that somebody else knows the old one.
func (s *Server) remember(w http.ResponseWriter, r *http.Request, t *transaction, user *User) error {
	data, err := json.Marshal(user)
	if err != nil {
		return err
	}
	t.Browser = store.HashOf(s.setCookie(w, browserCookie, transactionTime))
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
