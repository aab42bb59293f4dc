package authorize

import (
	"context"
	"encoding/hex"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// A knownBrowser is one in which users have logged in.
type knownBrowser struct {
	Users []string `json:"users"` // hashes of their names, the last one first
}

// Browser returns an ID of the browser of the request if a user with a name has logged in with
// it before, or "".
func (l *Login) Browser(name string) string {
	b := l.Endpoint.browsers()
	id := b.cookie(l.Request, knownCookie)
	if id == "" || !slices.Contains(b.knownBrowser(l.Context(), id).Users, hashed(name)) {
		return ""
	}
	return hashed(id)
}

// knownBrowser returns what is known about a browser with a cookie.
func (b browsers) knownBrowser(ctx context.Context, id string) (known knownBrowser) {
	if _, err := b.load(ctx, browserKey, id, &known); err != nil {
		return knownBrowser{}
	}
	return known
}

// know remembers the browser in which a user has logged in. Its cookie changes each time.
func (b browsers) know(w http.ResponseWriter, r *http.Request, user *User) error {
	ctx, before, known := r.Context(), b.cookie(r, knownCookie), knownBrowser{}
	if before != "" {
		known = b.knownBrowser(ctx, before)
	}
	name := hashed(user.Name)
	others := slices.DeleteFunc(known.Users, func(other string) bool { return other == name })
	known.Users = append([]string{name}, others[:min(len(others), limits.KnownUsers-1)]...)
	id := b.setCookie(w, knownCookie, limits.KnownBrowser)
	if err := b.save(ctx, browserKey, id, known, time.Now().Add(limits.KnownBrowser)); err != nil || before == "" {
		return err
	}
	return b.outdate(ctx, before)
}

// outdate shortens the life of a browser's old cookie to the time that a user has to log in. A
// browser that never gets the new one, since the program was killed, is known until then.
func (b browsers) outdate(ctx context.Context, id string) error {
	var known knownBrowser
	until := time.Now().Add(limits.TransactionTime)
	kept, err := b.load(ctx, browserKey, id, &known)
	if errors.Is(err, store.ErrNotFound) || err == nil && kept.Before(until) {
		return nil
	}
	if err != nil {
		return err
	}
	return b.save(ctx, browserKey, id, known, until)
}

// hashed returns the hash of a text as a text.
func hashed(text string) string {
	hash := store.HashOf(text)
	return hex.EncodeToString(hash[:])
}
