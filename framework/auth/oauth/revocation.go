package oauth

import (
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/jose"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
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
	if access, ok := s.accessToken(token); ok {
		grant, err := s.store.Grant(r.Context(), access.grant)
		if err == nil && grant.ClientID == client.ID {
			err = s.store.RevokeGrant(r.Context(), grant.ID, time.Now())
		}
		if errors.Is(err, store.ErrNotFound) {
			err = nil
		}
		return nil, err
	}
	return nil, s.grants.Revoke(r.Context(), client, token)
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
	if isPublic(client) {
		return nil, unknownClient(methodNone)
	}
	inactive := map[string]any{"active": false}
	access, ok := s.accessToken(f.get("token"))
	if !ok {
		return inactive, nil
	}
	grant, err := s.liveGrant(r.Context(), access.grant)
	switch {
	case errors.Is(err, store.ErrRevoked):
		return inactive, nil
	case err != nil:
		return nil, err
	case !slices.Contains(client.Resources, audienceOf(access.claims)) && grant.ClientID != client.ID:
		return inactive, nil
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
