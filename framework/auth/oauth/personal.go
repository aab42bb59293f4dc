package oauth

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
)

// personalPrefix begins each personal access token, so that scanners find those that were
// published by mistake. No JSON Web Token begins with it.
const personalPrefix = "bowline_pat_"

// newPersonalToken returns a new personal access token. It has 256 random bits.
func newPersonalToken() string {
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // never fails
	return personalPrefix + base64.RawURLEncoding.EncodeToString(secret)
}

// personal returns the principal of a personal access token, which is valid for all guarded
// routes.
func (v *tokenVerifier) personal(ctx context.Context, token string) (exchange.Principal, error) {
	hash := store.HashOf(token)
	principal, err := v.tokens.get(hash, liveTime, func() (exchange.Principal, error) { return v.server.tokenPrincipal(ctx, hash) })
	if err == nil {
		err = v.checkUpstream(ctx, principal.Subject)
	}
	if err == nil && !principal.Expires.IsZero() && !time.Now().Before(principal.Expires) {
		err = &auth.TokenError{Reason: "The access token has expired"}
	}
	return principal, err
}

// tokenPrincipal looks up a personal access token. The principal has the ID and the claims
// that it has with an access token of the same user.
func (s *Server) tokenPrincipal(ctx context.Context, hash store.Hash) (principal exchange.Principal, err error) {
	token, err := s.store.Token(ctx, hash)
	if errors.Is(err, store.ErrNotFound) {
		return principal, &auth.TokenError{Reason: "The access token is not known, or was revoked", Unknown: true}
	}
	if err == nil {
		err = s.checkUser(ctx, token.UserID)
	}
	if err != nil {
		return principal, unverified(err)
	}
	claims := map[string]any{
		"iss": s.site.URL, "sub": token.UserID, "scope": strings.Join(token.Scopes, " "), "iat": float64(token.Created.Unix()), "jti": token.ID,
	}
	if token.UserName != "" {
		claims["name"] = token.UserName
	}
	if !token.Expires.IsZero() {
		claims["exp"] = float64(token.Expires.Unix())
	}
	return exchange.Principal{
		ID: PrincipalID(token.UserID), Subject: token.UserID, Issuer: s.site.URL, Scopes: token.Scopes, Expires: token.Expires, Claims: claims,
	}, nil
}
