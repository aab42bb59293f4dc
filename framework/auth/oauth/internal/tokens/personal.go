package tokens

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// personalPrefix begins each personal access token, so that scanners find those that were
// published by mistake. No JSON Web Token begins with it.
const personalPrefix = "bowline_pat_"

// NewPersonal returns a new personal access token. It has 256 random bits.
func NewPersonal() string {
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // never fails
	return personalPrefix + base64.RawURLEncoding.EncodeToString(secret)
}

// personal returns the principal of a personal access token, which is valid for all guarded
// routes.
func (e *Endpoint) personal(ctx context.Context, token string) (exchange.Principal, error) {
	hash := store.HashOf(token)
	principal, err := e.personals.Find(hash, limits.LiveTime, func() (exchange.Principal, error) { return e.tokenPrincipal(ctx, hash) })
	if err == nil {
		err = e.isLetIn(ctx, principal.Subject)
	}
	if err == nil && !principal.Expires.IsZero() && !time.Now().Before(principal.Expires) {
		err = &auth.TokenError{Reason: "The access token has expired"}
	}
	return principal, err
}

// tokenPrincipal looks up a personal access token. The principal has the claims that it has with
// an access token of the same user.
func (e *Endpoint) tokenPrincipal(ctx context.Context, hash store.Hash) (principal exchange.Principal, err error) {
	token, err := e.Store.Token(ctx, hash)
	if errors.Is(err, store.ErrNotFound) {
		return principal, &auth.TokenError{Reason: "The access token is not known, or was revoked", Unknown: true}
	}
	if err == nil {
		err = e.CheckUser(ctx, token.UserID)
	}
	if err != nil {
		return principal, unverified(err)
	}
	claims := map[string]any{
		"iss": e.URL, "sub": token.UserID, "scope": strings.Join(token.Scopes, " "), "iat": float64(token.Created.Unix()), "jti": token.ID,
	}
	if token.UserName != "" {
		claims["name"] = token.UserName
	}
	if !token.Expires.IsZero() {
		claims["exp"] = float64(token.Expires.Unix())
	}
	return exchange.Principal{Subject: token.UserID, Issuer: e.URL, Scopes: token.Scopes, Expires: token.Expires, Claims: claims}, nil
}
