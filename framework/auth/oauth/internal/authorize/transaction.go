package authorize

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// A transaction is an authorization request until the user has decided. It is kept in the
// store, so nothing that the browser sends later can change it. It belongs to one browser, by
// a cookie of its own, so that a browser can have several in its tabs. One without a client
// ends when the user has logged in.
type transaction struct {
	ID      string    `json:"-"`
	Expires time.Time `json:"-"` // until when the store keeps it

	ClientID    string   `json:"client_id"`
	RedirectURI string   `json:"redirect_uri"`
	State       string   `json:"state,omitempty"`
	Challenge   string   `json:"code_challenge"`
	Scopes      []string `json:"scopes"`
	Resources   []string `json:"resources"`

	Nonce store.Hash `json:"nonce"`           // of the cookie
	CSRF  string     `json:"csrf"`            // of the forms
	User  *User      `json:"user,omitempty"`  // nil before the login
	LogIn bool       `json:"login,omitempty"` // also if the user has logged in before
}

// isForAccount reports whether a user logs in for the account page, and no client asks.
func (t *transaction) isForAccount() bool { return t.ClientID == "" }

// errTransaction means that a request belongs to no transaction, or to another browser's.
var errTransaction = errors.New("the transaction has expired, was used, or belongs to another browser")

// begin keeps a new transaction.
func (b browsers) begin(ctx context.Context, w http.ResponseWriter, r *http.Request, t *transaction) error {
	t.ID, t.CSRF, t.Expires = rand.Text(), rand.Text(), time.Now().Add(limits.TransactionTime)
	b.forgetOthers(w, r)
	return b.renew(ctx, w, t)
}

// renew keeps a transaction with a new cookie, so that whoever knows the old one, or has
// planted it, loses the transaction.
func (b browsers) renew(ctx context.Context, w http.ResponseWriter, t *transaction) error {
	t.Nonce = store.HashOf(b.setCookie(w, t.cookie(), time.Until(t.Expires)))
	return b.save(ctx, transactionKey, t.ID, t, t.Expires)
}

// cookie returns the name of the transaction's cookie.
func (t *transaction) cookie() string { return transactionCookie + t.ID[:min(len(t.ID), 8)] }

// forgetOthers removes the cookies of the first transactions of a browser that has too many.
// Browsers send the oldest cookies first (RFC 6265, section 5.4).
func (b browsers) forgetOthers(w http.ResponseWriter, r *http.Request) {
	prefix := b.cookieName(transactionCookie)
	all := slices.DeleteFunc(r.Cookies(), func(cookie *http.Cookie) bool { return !strings.HasPrefix(cookie.Name, prefix) })
	for _, cookie := range all[:max(len(all)-limits.Transactions+1, 0)] {
		b.removeCookie(w, cookie.Name)
	}
}

// transactionID returns the ID in the URL of a page.
func transactionID(r *http.Request) string { return r.URL.Query().Get("txn") }

// transaction returns a transaction for a request from its browser.
func (b browsers) transaction(r *http.Request, id string) (*transaction, error) {
	t := &transaction{ID: id}
	var err error
	t.Expires, err = b.load(r.Context(), transactionKey, id, t)
	nonce := store.HashOf(b.cookie(r, t.cookie()))
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, errTransaction
	case err != nil:
		return nil, err
	}
	if subtle.ConstantTimeCompare(nonce[:], t.Nonce[:]) != 1 {
		return nil, errTransaction
	}
	return t, nil
}

// end ends a transaction. Of several requests one succeeds.
func (b browsers) end(ctx context.Context, w http.ResponseWriter, t *transaction) error {
	b.removeCookie(w, b.cookieName(t.cookie()))
	_, err := b.Store.TakeValue(ctx, keyOf(transactionKey, t.ID))
	if errors.Is(err, store.ErrNotFound) {
		return errTransaction
	}
	return err
}
