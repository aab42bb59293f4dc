package oauth

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// Guard returns a guard of routes that requires an access token of the server with the
// scopes; see auth.Bearer.
func (s *Server) Guard(scopes ...string) *auth.BearerGuard {
	return auth.Bearer(s.Verifier(), scopes...)
}

// Verifier returns a verifier of the access tokens of the server, personal ones included, such
// as for auth.Any. A token is refused at most 100 ms after it was revoked, its client was
// removed, or its user was disabled or removed.
func (s *Server) Verifier() auth.Verifier { return s.verifier }

// liveTime is how long a grant that was live counts as live. An operator who disables a user
// with a command finds that the next call is refused, and a busy client is looked up ten times
// a second instead of at each call.
const liveTime = 100 * time.Millisecond

// upstreamTime is how long a user whom the other server lets in counts as let in.
const upstreamTime = 4 * time.Second

// A tokenVerifier verifies access tokens as a resource server of another issuer does, with the
// published keys, and looks up their grants. Personal access tokens are looked up too.
type tokenVerifier struct {
	server *Server
	jwt    auth.Verifier             // of the signature and the claims; nil until the server is open
	grants liveCache[string, string] // to their users
	tokens liveCache[store.Hash, exchange.Principal]
	users  liveCache[string, struct{}] // whom the other server lets in
}

// open makes the verifier of the signature and the claims.
func (v *tokenVerifier) open() {
	site := v.server.site
	v.jwt = auth.JWT(auth.Issuer{URL: site.URL, JWKS: site.URL + jwksPath, Client: &http.Client{Transport: own{v.server}}, Logger: v.server.logger()})
}

// Issuers returns "", which stands for the URL of the program.
func (v *tokenVerifier) Issuers() ([]string, error) {
	if !v.server.mapped {
		return nil, errors.New("the guard is that of an authorization server that the program doesn't serve; call Router.OAuthRoutes with the server")
	}
	return []string{""}, nil
}

// IssuableScopes returns the scopes that tokens can have.
func (v *tokenVerifier) IssuableScopes() []string {
	return slices.Sorted(maps.Keys(v.server.config.Scopes))
}

// Verify returns the principal of a token.
func (v *tokenVerifier) Verify(ctx context.Context, token, resource string) (exchange.Principal, error) {
	if strings.HasPrefix(token, personalPrefix) {
		return v.personal(ctx, token)
	}
	principal, err := v.jwt.Verify(ctx, token, resource)
	if err != nil {
		return principal, err
	}
	id, _ := principal.Claims["gid"].(string)
	user, err := v.grants.get(id, liveTime, func() (string, error) {
		grant, err := v.server.liveGrant(ctx, id)
		return grant.UserID, unverified(err)
	})
	if err == nil {
		err = v.checkUpstream(ctx, user)
	}
	principal.ID = PrincipalID(principal.Subject)
	return principal, err
}

// checkUpstream returns an error for a user whom the other server no longer lets in.
func (v *tokenVerifier) checkUpstream(ctx context.Context, user string) error {
	_, err := v.users.get(user, upstreamTime, func() (struct{}, error) {
		return struct{}{}, unverified(v.server.checkUpstream(ctx, user))
	})
	return err
}

// PrincipalID returns the ID of the principal of a user's tokens, by the user's ID. It stays
// the same when the URL of the program changes. No principal of another verifier has it.
func PrincipalID(user string) string { return "oauth: " + user }

// liveGrant returns a grant, or store.ErrRevoked if it has ended.
func (s *Server) liveGrant(ctx context.Context, id string) (store.Grant, error) {
	grant, err := s.store.Grant(ctx, id)
	switch {
	case errors.Is(err, store.ErrNotFound), err == nil && !grant.Live(time.Now()):
		return grant, store.ErrRevoked
	case err != nil:
		return grant, err
	}
	return grant, s.checkGrant(ctx, grant)
}

// unverified returns the error of a verifier for an error of liveGrant or checkUser.
func unverified(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, store.ErrRevoked):
		return &auth.TokenError{Reason: "The access token was revoked"}
	}
	return &exchange.Error{Code: exchange.CodeInternalError, Message: "The access token can't be verified at the moment", Status: http.StatusServiceUnavailable, Err: err}
}

// A liveCache remembers for a while what is live.
type liveCache[K comparable, V any] struct {
	mu      sync.RWMutex
	entries map[K]liveEntry[V]
}

type liveEntry[V any] struct {
	value V
	until time.Time
}

// get returns the value of a key. It calls find for one that is not remembered, and remembers
// it for a lifetime. An error is not remembered.
func (c *liveCache[K, V]) get(key K, lifetime time.Duration, find func() (V, error)) (V, error) {
	now := time.Now()
	c.mu.RLock()
	entry := c.entries[key]
	c.mu.RUnlock()
	if now.Before(entry.until) {
		return entry.value, nil
	}
	value, err := find()
	if err != nil {
		return value, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries == nil || len(c.entries) >= limits.LiveGrants {
		c.entries = map[K]liveEntry[V]{}
	}
	c.entries[key] = liveEntry[V]{value, now.Add(lifetime)}
	return value, nil
}

// own answers a request for the keys of the server without the network.
type own struct{ *Server }

func (o own) RoundTrip(r *http.Request) (*http.Response, error) {
	text, err := o.keys.JSON()
	if err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{"Content-Type": {"application/json"}, "Cache-Control": {"max-age=300"}},
		Body: io.NopCloser(strings.NewReader(string(text))), ContentLength: int64(len(text)), Request: r,
	}, nil
}
