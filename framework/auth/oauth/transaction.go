package oauth

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// A transaction is an authorization request until the user has decided. It is kept in the
// store, so nothing that the browser sends later can change it. It belongs to one browser, by
// a cookie of its own, so that a browser can have several in its tabs. One without a client
// ends when the user has logged in.
type transaction struct {
	ID string `json:"-"`

	ClientID    string   `json:"client_id"`
	RedirectURI string   `json:"redirect_uri"`
	State       string   `json:"state,omitempty"`
	Challenge   string   `json:"code_challenge"`
	Scopes      []string `json:"scopes"`
	Resources   []string `json:"resources"`

	Nonce   store.Hash `json:"nonce"`           // of the cookie
	CSRF    string     `json:"csrf"`            // of the forms
	User    *User      `json:"user,omitempty"`  // nil before the login
	LogIn   bool       `json:"login,omitempty"` // also if the user has logged in before
	Expires time.Time  `json:"expires"`
}

// isForAccount reports whether a user logs in for the account page, and no client asks.
func (t *transaction) isForAccount() bool { return t.ClientID == "" }

// errTransaction means that a request belongs to no transaction, or to that of another
// browser.
var errTransaction = errors.New("the transaction has expired, was used, or is that of another browser")

// begin keeps a new transaction.
func (s *Server) begin(ctx context.Context, w http.ResponseWriter, r *http.Request, t *transaction) error {
	t.ID, t.CSRF, t.Expires = rand.Text(), rand.Text(), time.Now().Add(limits.TransactionTime)
	s.forgetOthers(w, r)
	return s.renew(ctx, w, t)
}

// renew keeps a transaction with a new cookie, so that whoever knows the old one, or has
// planted it, loses the transaction.
func (s *Server) renew(ctx context.Context, w http.ResponseWriter, t *transaction) error {
	t.Nonce = store.HashOf(s.setCookie(w, t.cookie(), time.Until(t.Expires)))
	return s.keep(ctx, t)
}

// cookie returns the name of the transaction's cookie.
func (t *transaction) cookie() string { return transactionCookie + t.ID[:min(len(t.ID), 8)] }

// forgetOthers removes the cookies of the first transactions of a browser that has too many.
// Browsers send the oldest cookies first (RFC 6265, section 5.4).
func (s *Server) forgetOthers(w http.ResponseWriter, r *http.Request) {
	prefix := s.cookieName(transactionCookie)
	all := slices.DeleteFunc(r.Cookies(), func(cookie *http.Cookie) bool { return !strings.HasPrefix(cookie.Name, prefix) })
	for _, cookie := range all[:max(len(all)-limits.Transactions+1, 0)] {
		s.removeCookie(w, cookie.Name)
	}
}

// keep stores a transaction.
func (s *Server) keep(ctx context.Context, t *transaction) error {
	data, err := codec.MarshalRecord(t)
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
	nonce := store.HashOf(s.cookie(r, t.cookie()))
	if !time.Now().Before(t.Expires) || subtle.ConstantTimeCompare(nonce[:], t.Nonce[:]) != 1 {
		return nil, errTransaction
	}
	return t, nil
}

// end ends a transaction. Of several requests one succeeds.
func (s *Server) end(ctx context.Context, w http.ResponseWriter, t *transaction) error {
	s.removeCookie(w, s.cookieName(t.cookie()))
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
	endedKey       = "ended"     // when the sessions of a user were ended
	assertionKey   = "assertion" // of a client or an identity provider, by its iss and jti
	stateKey       = "state"     // of a visit to another server
	browserKey     = "browser"   // in which users have logged in
)

// keyOf returns the key of a value in the store.
func keyOf(kind, id string) store.Hash { return store.HashOf(kind + " " + id) }

// The cookies of the server.
const (
	transactionCookie = "oauth_t_"      // prefix of the cookies of transactions
	sessionCookie     = "oauth_session" // remembers who has logged in
	knownCookie       = "oauth_known"   // remembers that somebody has logged in
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
	value := rand.Text()
	s.writeCookie(w, s.cookieName(name), value, int(lifetime.Round(time.Second).Seconds()))
	return value
}

// removeCookie removes a cookie by its full name.
func (s *Server) removeCookie(w http.ResponseWriter, name string) { s.writeCookie(w, name, "", -1) }

func (s *Server) writeCookie(w http.ResponseWriter, name, value string, age int) {
	http.SetCookie(w, &http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: age, Secure: s.isSecure(), HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}
