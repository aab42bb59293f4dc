package oauth

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
)

// transactionTime is how long a user has to log in and decide.
const transactionTime = 10 * time.Minute

// A transaction is an authorization request until the user has decided. It is kept in the
// store, so nothing that the browser sends later can change it. It belongs to one browser, by
// a cookie.
type transaction struct {
	ID string `json:"-"`

	ClientID    string   `json:"client_id"`
	RedirectURI string   `json:"redirect_uri"`
	State       string   `json:"state,omitempty"`
	Challenge   string   `json:"code_challenge"`
	Scopes      []string `json:"scopes"`
	Resources   []string `json:"resources"`

	Browser store.Hash `json:"browser"`        // of the cookie
	CSRF    string     `json:"csrf"`           // of the forms
	User    *User      `json:"user,omitempty"` // nil before the login
	Expires time.Time  `json:"expires"`
}

// errTransaction means that a request belongs to no transaction, or to that of another
// browser.
var errTransaction = errors.New("the transaction has expired, was used, or is that of another browser")

// begin keeps a new transaction.
func (s *Server) begin(ctx context.Context, w http.ResponseWriter, r *http.Request, t *transaction) error {
	t.ID, t.CSRF, t.Expires = rand.Text(), rand.Text(), time.Now().Add(transactionTime)
	browser := s.cookie(r, browserCookie)
	if browser == "" {
		browser = s.setCookie(w, browserCookie, transactionTime)
	}
	t.Browser = store.HashOf(browser)
	return s.keep(ctx, t)
}

// keep stores a transaction.
func (s *Server) keep(ctx context.Context, t *transaction) error {
	data, err := json.Marshal(t)
	if err != nil {
		return err
	}
	return s.store.SetValue(ctx, keyOf(transactionKey, t.ID), store.Value{Data: data, Expires: t.Expires})
}

// transactionID returns the ID in the URL of a page.
func transactionID(r *http.Request) string { return r.URL.Query().Get("txn") }

// transaction returns a transaction for a request from its browser.
func (s *Server) transaction(r *http.Request, id string) (*transaction, error) {
	value, err := s.store.Value(r.Context(), keyOf(transactionKey, id))
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, errTransaction
	case err != nil:
		return nil, err
	}
	t := &transaction{ID: id}
	if err := json.Unmarshal(value.Data, t); err != nil {
		return nil, err
	}
	browser := store.HashOf(s.cookie(r, browserCookie))
	if !time.Now().Before(t.Expires) || subtle.ConstantTimeCompare(browser[:], t.Browser[:]) != 1 {
		return nil, errTransaction
	}
	return t, nil
}

// end ends a transaction. Of several requests one succeeds.
func (s *Server) end(ctx context.Context, t *transaction) error {
	_, err := s.store.TakeValue(ctx, keyOf(transactionKey, t.ID))
	if errors.Is(err, store.ErrNotFound) {
		return errTransaction
	}
	return err
}

// The kinds of values in the store.
const (
	transactionKey = "transaction"
	sessionKey     = "session"
	assertionKey   = "assertion" // of a client or an identity provider, by its iss and jti
	stateKey       = "state"     // of a visit to another server
)

// keyOf returns the key of a value in the store.
func keyOf(kind, id string) store.Hash { return store.HashOf(kind + " " + id) }

// The cookies of the server.
const (
	browserCookie = "oauth_browser" // tells the browsers of transactions apart
	sessionCookie = "oauth_session" // remembers who has logged in
)

// cookieName returns the name of a cookie. On https it has a prefix by which browsers refuse
// one that another host of the domain has set. Safari stores no such cookie on loopback.
func (s *Server) cookieName(name string) string {
	if s.isSecure() {
		return "__Host-" + name
	}
	return name
}

func (s *Server) isSecure() bool { return strings.HasPrefix(s.site.URL, "https://") }

// cookie returns the value of a cookie, or "".
func (s *Server) cookie(r *http.Request, name string) string {
	cookie, err := r.Cookie(s.cookieName(name))
	if err != nil {
		return ""
	}
	return cookie.Value
}

// setCookie sets a cookie to a new random value, which it returns.
func (s *Server) setCookie(w http.ResponseWriter, name string, lifetime time.Duration) string {
	cookie := &http.Cookie{
		Name: s.cookieName(name), Value: rand.Text(), Path: "/", MaxAge: int(lifetime.Seconds()), Secure: s.isSecure(), HttpOnly: true, SameSite: http.SameSiteLaxMode,
	}
	http.SetCookie(w, cookie)
	return cookie.Value
}
