package oauth

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/jose"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/internal/engine/throttle"
)

// revoke is the revocation endpoint (RFC 7009). Whatever the token is, it ends its whole
// grant, if that is the client's. The answer doesn't tell whether there was one.
func (s *Server) revoke(r *http.Request) (any, error) {
	f, client, err := s.readRequest(r)
	if err != nil {
		return nil, err
	}
	token := f.get("token")
	if token == "" {
		return nil, invalid("The parameter token is missing")
	}
	if wait := s.wrongTokens.Wait(throttle.KeyOf("", s.address(r))); wait > 0 {
		return nil, slowDown(wait)
	}
	err = s.revokeToken(r.Context(), client, token)
	if errors.Is(err, store.ErrNotFound) {
		s.countWrong(r)
		err = nil
	}
	return nil, err
}

// revokeToken revokes the grant of a token, or returns store.ErrNotFound if it is not the
// client's.
func (s *Server) revokeToken(ctx context.Context, client store.Client, token string) error {
	access, ok := s.accessToken(token)
	if !ok {
		return s.grants.Revoke(ctx, client, token)
	}
	grant, err := s.store.Grant(ctx, access.grant)
	if err != nil {
		return err
	}
	if grant.ClientID != client.ID {
		return store.ErrNotFound
	}
	return s.store.RevokeGrant(ctx, grant.ID, time.Now())
}

// An accessToken is an access token of this server that has not expired.
type accessToken struct {
	claims map[string]any
	grant  string
}

// accessToken reads an access token of this server.
func (s *Server) accessToken(text string) (found accessToken, ok bool) {
	unverified, err := jose.Parse(text)
	if err != nil || unverified.Issuer != s.site.URL {
		return found, false
	}
	document, err := s.keys.JSON()
	if err != nil {
		return found, false
	}
	set, err := jose.ParseKeySet(document)
	if err != nil {
		return found, false
	}
	token, err := set.Verify(unverified, time.Now(), 0)
	if err != nil || token.Type != "at+jwt" {
		return found, false
	}
	found.claims = token.Claims
	found.grant, ok = token.Claims["gid"].(string)
	return found, ok
}

// introspect is the introspection endpoint (RFC 7662), for resource servers that have
// registered as clients with a secret.
func (s *Server) introspect(r *http.Request) (any, error) {
	f, client, err := s.readRequest(r)
	if err != nil {
		return nil, err
	}
	if client.IsPublic() {
		return nil, unknownClient(methodNone)
	}
	access, active := s.accessToken(f.get("token"))
	if active {
		grant, err := s.liveGrant(r.Context(), access.grant)
		if err != nil && !errors.Is(err, store.ErrRevoked) {
			return nil, err
		}
		active = err == nil && (slices.Contains(client.Resources, audienceOf(access.claims)) || grant.ClientID == client.ID)
	}
	if !active {
		if client.Source != store.Static { // others are asked about the tokens of strangers
			s.countWrong(r)
		}
		return map[string]any{"active": false}, nil
	}
	answer := map[string]any{"active": true, "token_type": "Bearer"}
	for _, name := range []string{"scope", "client_id", "sub", "aud", "iss", "exp", "iat", "jti"} {
		answer[name] = access.claims[name]
	}
	return answer, nil
}

// audienceOf returns the audience of a token for one resource.
func audienceOf(claims map[string]any) string {
	audience, _ := claims["aud"].(string)
	return audience
}
