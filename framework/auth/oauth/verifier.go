package oauth

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/framework/auth"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/endpoint"
	"github.com/bowline-mcp/bowline/framework/exchange"
)

// Guard returns a guard of routes that requires an access token of the server with the
// scopes; see auth.Bearer.
func (s *Server) Guard(scopes ...string) *auth.BearerGuard {
	return auth.Bearer(s.Verifier(), scopes...)
}

// Verifier returns a verifier of the access tokens of the server, personal ones included, such
// as for auth.Any. A token is refused at most 100 ms after it was revoked, its client was
// removed, or its user was disabled or removed.
func (s *Server) Verifier() auth.Verifier { return (*tokenVerifier)(s) }

// A tokenVerifier is a server as the verifier of its tokens.
type tokenVerifier Server

// Issuers returns "", which stands for the URL of the program.
func (v *tokenVerifier) Issuers() ([]string, error) {
	if !v.mapped {
		return nil, errors.New("the guard belongs to an authorization server that the program doesn't serve; call Router.Component with the server")
	}
	return []string{""}, nil
}

// IssuableScopes returns the scopes that tokens can have.
func (v *tokenVerifier) IssuableScopes() []string {
	return slices.Sorted(maps.Keys(v.config.Scopes))
}

// Verify returns the principal of a token.
func (v *tokenVerifier) Verify(ctx context.Context, token, resource string) (exchange.Principal, error) {
	principal, err := v.tokens.Verify(ctx, token, resource)
	principal.ID = PrincipalID(principal.Subject)
	return principal, err
}

// FindPrincipal returns the principal of a user, by the email address or ID, with all scopes. It
// opens the store, so that it works while the server isn't open.
func (v *tokenVerifier) FindPrincipal(ctx context.Context, name string) (exchange.Principal, error) {
	user, err := (*Server)(v).commands().FindUser(ctx, name)
	if err != nil {
		return exchange.Principal{}, err
	}
	scopes := v.IssuableScopes()
	claims := map[string]any{"sub": user.ID, "scope": strings.Join(scopes, " ")}
	if user.Name != "" {
		claims["name"] = user.Name
	}
	return exchange.Principal{ID: PrincipalID(user.ID), Subject: user.ID, Scopes: scopes, Claims: claims}, nil
}

// PrincipalID returns the ID of the principal of a user's tokens, by the user's ID. It stays
// the same when the URL of the program changes. No principal of another verifier has it.
func PrincipalID(user string) string { return endpoint.PrincipalID(user) }
