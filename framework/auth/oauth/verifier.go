package oauth

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/exchange"
)

// Guard returns a guard of routes that requires an access token of the server with the
// scopes; see auth.Bearer.
func (s *Server) Guard(scopes ...string) *auth.BearerGuard {
	return auth.Bearer(s.Verifier(), scopes...)
}

// Verifier returns a verifier of the access tokens of the server, such as for auth.Any. A
// token is refused at most 4 seconds after its grant was revoked, and at once when it is new.
func (s *Server) Verifier() auth.Verifier { return s.verifier }

// liveTime is how long a grant that was live counts as live.
const liveTime = 4 * time.Second

// maxLive is how many grants are remembered as live.
const maxLive = 10_000

// A tokenVerifier verifies access tokens as a resource server of another issuer does, with the
// published keys, and looks up their grants.
type tokenVerifier struct {
	server *Server
	jwt    auth.Verifier // of the signature and the claims; nil until the server is open

	mu   sync.RWMutex
	live map[string]time.Time // when to look up a grant again, by its ID
}

// open makes the verifier of the signature and the claims.
func (v *tokenVerifier) open() {
	site := v.server.site
	v.jwt = auth.JWT(auth.Issuer{URL: site.URL, JWKS: site.URL + jwksPath, Client: &http.Client{Transport: own{v.server}}, Logger: v.server.logger()})
}

// Issuers returns "", which stands for the URL of the program.
func (v *tokenVerifier) Issuers() ([]string, error) { return []string{""}, v.server.mistakes }

// Verify returns the principal of a token.
func (v *tokenVerifier) Verify(ctx context.Context, token, resource string) (exchange.Principal, error) {
	principal, err := v.jwt.Verify(ctx, token, resource)
	if err != nil {
		return principal, err
	}
	grant, _ := principal.Claims["gid"].(string)
	return principal, v.check(ctx, grant)
}

// check returns an error if a grant has ended.
func (v *tokenVerifier) check(ctx context.Context, id string) error {
	now := time.Now()
	v.mu.RLock()
	until := v.live[id]
	v.mu.RUnlock()
	if now.Before(until) {
		return nil
	}
	grant, err := v.server.store.Grant(ctx, id)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return &exchange.Error{Code: exchange.CodeInternalError, Message: "The access token can't be verified at the moment", Status: http.StatusServiceUnavailable, Err: err}
	}
	if err != nil || !grant.Live(now) {
		return &auth.TokenError{Reason: "The access token was revoked"}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.live) >= maxLive {
		v.live = map[string]time.Time{}
	}
	v.live[id] = now.Add(liveTime)
	return nil
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
