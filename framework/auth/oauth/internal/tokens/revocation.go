package tokens

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/jose"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/clients"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/endpoint"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
)

// Revoke is the revocation endpoint (RFC 7009). Whatever the token is, it ends its whole
// grant, if that is the client's. The answer doesn't tell whether there was one.
func (e *Endpoint) Revoke(r *http.Request) (any, error) {
	f, client, err := e.Clients.ReadRequest(r)
	if err != nil {
		return nil, err
	}
	token := f.Get("token")
	if token == "" {
		return nil, endpoint.Invalid("The parameter token is missing")
	}
	if wait := e.Limits.WrongTokens.Wait(e.Caller(r)); wait > 0 {
		return nil, endpoint.SlowDown(wait)
	}
	err = e.revokeToken(r.Context(), client, token)
	if errors.Is(err, store.ErrNotFound) {
		e.countWrong(r)
		err = nil
	}
	return nil, err
}

// revokeToken revokes the grant of a token, or returns store.ErrNotFound if it is not the
// client's.
func (e *Endpoint) revokeToken(ctx context.Context, client store.Client, token string) error {
	claims := e.accessClaims(token)
	if claims == nil {
		return e.Grants.Revoke(ctx, client, token)
	}
	id, _ := claims["gid"].(string)
	grant, err := e.Store.Grant(ctx, id)
	if err != nil {
		return err
	}
	if grant.ClientID != client.ID {
		return store.ErrNotFound
	}
	return e.Grants.RevokeGrant(ctx, grant)
}

// accessClaims returns the claims of an access token of this server that has not expired, or nil.
func (e *Endpoint) accessClaims(text string) map[string]any {
	unverified, err := jose.Parse(text)
	if err != nil || unverified.Issuer != e.URL {
		return nil
	}
	document, err := e.Keys.JSON()
	if err != nil {
		return nil
	}
	set, err := jose.ParseKeySet(document)
	if err != nil {
		return nil
	}
	token, err := set.Verify(unverified, time.Now(), 0)
	if err != nil || token.Type != "at+jwt" {
		return nil
	}
	return token.Claims
}

// Introspect is the introspection endpoint (RFC 7662), for resource servers that have
// registered as clients with a secret.
func (e *Endpoint) Introspect(r *http.Request) (any, error) {
	f, client, err := e.Clients.ReadRequest(r)
	if err != nil {
		return nil, err
	}
	if client.IsPublic() {
		return nil, clients.Unknown(clients.MethodNone)
	}
	claims := e.accessClaims(f.Get("token"))
	active := claims != nil
	if active {
		id, _ := claims["gid"].(string)
		audience, _ := claims["aud"].(string) // "" for several
		grant, err := e.liveGrant(r.Context(), id)
		if err != nil && !errors.Is(err, store.ErrRevoked) {
			return nil, err
		}
		active = err == nil && (slices.Contains(client.Resources, audience) || grant.ClientID == client.ID)
	}
	if !active {
		if client.Source != store.Static { // others are asked about the tokens of strangers
			e.countWrong(r)
		}
		return map[string]any{"active": false}, nil
	}
	answer := map[string]any{"active": true, "token_type": "Bearer"}
	for _, name := range []string{"scope", "client_id", "sub", "aud", "iss", "exp", "iat", "jti"} {
		answer[name] = claims[name]
	}
	return answer, nil
}
