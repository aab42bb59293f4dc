package authorize

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/endpoint"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// browsers keep what is known about browsers, by random cookies: their transactions, sessions and
// users. The store has the hashes of the cookies.
type browsers struct {
	*endpoint.Base

	checkUser func(ctx context.Context, id string) error
}

func (e *Endpoint) browsers() browsers { return browsers{e.Base, e.Tokens.CheckUser} }

// The kinds of values in the store.
const (
	transactionKey = "transaction"
	sessionKey     = "session"
	endedKey       = "ended"   // when the sessions of a user were ended
	stateKey       = "state"   // of a visit to another server
	browserKey     = "browser" // in which users have logged in
)

// save keeps a value until a time.
func (b browsers) save(ctx context.Context, kind, id string, value any, until time.Time) error {
	data, err := codec.MarshalRecord(value)
	if err != nil {
		return err
	}
	return b.Store.SetValue(ctx, keyOf(kind, id), store.Value{Data: data, Expires: until})
}

// load reads a value, and returns until when it is kept. The error is store.ErrNotFound if that
// time has passed.
func (b browsers) load(ctx context.Context, kind, id string, value any) (until time.Time, err error) {
	kept, err := b.Store.Value(ctx, keyOf(kind, id))
	switch {
	case err != nil:
		return until, err
	case !time.Now().Before(kept.Expires):
		return until, store.ErrNotFound
	}
	return kept.Expires, json.Unmarshal(kept.Data, value)
}

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
func (b browsers) cookieName(name string) string {
	if b.isSecure() {
		return "__Host-" + name
	}
	return name
}

func (b browsers) isSecure() bool { return strings.HasPrefix(b.URL, "https://") }

// cookie returns the value of a cookie, or "".
func (b browsers) cookie(r *http.Request, name string) string {
	cookie, err := r.Cookie(b.cookieName(name))
	if err != nil {
		return ""
	}
	return cookie.Value
}

// setCookie sets a cookie to a new random value, which it returns.
func (b browsers) setCookie(w http.ResponseWriter, name string, lifetime time.Duration) string {
	value := rand.Text()
	b.writeCookie(w, b.cookieName(name), value, int(lifetime.Round(time.Second).Seconds()))
	return value
}

// removeCookie removes a cookie by its full name.
func (b browsers) removeCookie(w http.ResponseWriter, name string) { b.writeCookie(w, name, "", -1) }

func (b browsers) writeCookie(w http.ResponseWriter, name, value string, age int) {
	http.SetCookie(w, &http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: age, Secure: b.isSecure(), HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}
