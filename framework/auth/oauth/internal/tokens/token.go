// Package tokens issues, verifies and revokes the tokens of the authorization server. It decides
// which scopes and resources a client gets, and whether a grant and its user are still live.
package tokens

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth"
	"github.com/bowline-mcp/bowline/framework/auth/internal/issuers"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/clients"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/endpoint"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/grants"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/keys"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/cache"
	"github.com/bowline-mcp/bowline/internal/engine/throttle"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// An Endpoint is the token endpoint, with those for revocation and introspection.
type Endpoint struct {
	*endpoint.Base

	Clients *clients.Registry
	Grants  *grants.Engine // Open sets it up, but for its times
	Keys    *keys.Ring

	Scopes            map[string]string // see oauth.Config
	DefaultScopes     []string
	IdentityProviders []auth.Issuer

	// Local means that users log in with passwords of the store. Upstream is not nil if another
	// server logs them in.
	Local    bool
	Upstream interface {
		CheckUser(ctx context.Context, id string) error
	}

	providers map[string]*identityProvider
	jwt       auth.Verifier                // of the signature and the claims
	users     *cache.Cache[string, string] // of grants
	personals *cache.Cache[store.Hash, exchange.Principal]
	letIn     *cache.Cache[string, struct{}] // users, by the other server
}

// Open sets up the endpoint for keys, when the base has a store.
func (e *Endpoint) Open(ring *keys.Ring) {
	e.Keys, e.providers = ring, map[string]*identityProvider{}
	e.users, e.letIn = cache.New[string, string](limits.LiveGrants), cache.New[string, struct{}](limits.LiveGrants)
	e.personals = cache.New[store.Hash, exchange.Principal](limits.LiveGrants)
	for _, provider := range e.IdentityProviders {
		keys := issuers.NewKeys(issuers.NewFetcher(provider.URL, provider.Client), provider.URL, provider.JWKS, cmp.Or(provider.Logger, e.Logger))
		e.providers[provider.URL] = &identityProvider{Issuer: provider, keys: keys}
	}
	e.jwt = auth.JWT(auth.Issuer{URL: e.URL, Logger: e.Logger})
	// The verifiers of package auth have this method for the server in the same program.
	e.jwt.(interface {
		SetLocalKeys(read func() ([]byte, error))
	}).SetLocalKeys(ring.JSON)
	g := e.Grants
	g.Base = e.Base
	g.Store, g.Issuer, g.Resources, g.Check = e.Store, e.URL, e.presentResources, e.checkRefresh
	g.Sign = func(claims map[string]any) (string, error) { return e.Keys.Sign("at+jwt", claims) }
	g.Wait = func(grant string) time.Duration { return e.Limits.Refreshes.Take(throttle.KeyOf(grant, netip.Addr{})) }
}

// Token is the token endpoint (RFC 6749, section 3.2). Only failures count for an address:
// hosted clients refresh for all their users from few.
func (e *Endpoint) Token(r *http.Request) (any, error) {
	f, client, err := e.Clients.ReadRequest(r)
	if err != nil {
		return nil, err
	}
	if wait := e.Limits.WrongTokens.Wait(e.Caller(r)); wait > 0 {
		return nil, endpoint.SlowDown(wait)
	}
	answer, err := e.exchange(r, client, f)
	if refusal, ok := errors.AsType[*endpoint.Error](err); ok && refusal.Status == http.StatusBadRequest {
		e.countWrong(r)
	}
	return answer, err
}

// countWrong counts a request with a code or a token that is not valid.
func (e *Endpoint) countWrong(r *http.Request) { e.Limits.WrongTokens.Take(e.Caller(r)) }

// exchange answers a request for tokens.
func (e *Endpoint) exchange(r *http.Request, client store.Client, f url.Values) (any, error) {
	grant := f.Get("grant_type")
	if err := e.Allowed(client, grant); err != nil {
		return nil, err
	}
	switch grant {
	case grants.Code:
		return e.redeem(r, client, f)
	case grants.Refresh:
		return e.refresh(r, client, f)
	case grants.Assertion:
		return e.exchangeIdentity(r, client, f)
	default:
		return e.clientCredentials(r, client, f)
	}
}

// GrantTypes returns the grants that the server supports.
func (e *Endpoint) GrantTypes() []string {
	types := []string{grants.Code, grants.Refresh, grants.Credentials}
	if len(e.IdentityProviders) > 0 {
		types = append(types, grants.Assertion)
	}
	return types
}

// Allowed returns an error for a grant that a client can't use.
func (e *Endpoint) Allowed(client store.Client, grant string) error {
	if grant == "" {
		return endpoint.Invalid("The parameter grant_type is missing")
	}
	if !slices.Contains(e.GrantTypes(), grant) {
		return endpoint.Refused("unsupported_grant_type", "The grant_type is unknown; use one of %s", strings.Join(e.GrantTypes(), ", "))
	}
	switch grant {
	case grants.Code, grants.Refresh:
		if len(client.GrantTypes) == 0 || slices.Contains(client.GrantTypes, grant) {
			return nil
		}
	case grants.Credentials:
		if slices.Contains(client.GrantTypes, grant) && !client.IsPublic() {
			return nil
		}
	case grants.Assertion:
		// Only its metadata document identifies a public client.
		if slices.Contains(client.GrantTypes, grant) && (!client.IsPublic() || client.Source == store.Document) {
			return nil
		}
	}
	return endpoint.Refused("unauthorized_client", "The client is not registered for the grant_type %s", grant)
}

// granted returns the resources that a request for tokens of an existing grant names.
func (e *Endpoint) granted(f url.Values) ([]string, error) {
	if resource := f.Get("resource"); resource != "" {
		return e.Target(resource)
	}
	return nil, nil
}

func (e *Endpoint) redeem(r *http.Request, client store.Client, f url.Values) (any, error) {
	resources, err := e.granted(f)
	if err != nil {
		return nil, err
	}
	code, verifier := f.Get("code"), f.Get("code_verifier")
	switch {
	case code == "":
		return nil, endpoint.Invalid("The parameter code is missing")
	case !IsVerifier(verifier):
		return nil, endpoint.Invalid("The parameter code_verifier is missing, or not 43 to 128 letters, digits and -._~")
	}
	return e.Grants.Redeem(r.Context(), client, grants.CodeRequest{Code: code, Verifier: verifier, RedirectURI: f.Get("redirect_uri"), Resources: resources})
}

// IsVerifier reports whether a text can be a code verifier (RFC 7636, section 4.1).
func IsVerifier(text string) bool {
	const unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
	return len(text) >= 43 && len(text) <= 128 && strings.Trim(text, unreserved) == ""
}

func (e *Endpoint) refresh(r *http.Request, client store.Client, f url.Values) (any, error) {
	resources, err := e.granted(f)
	if err != nil {
		return nil, err
	}
	scopes, err := parseScopes(f.Get("scope"))
	if err != nil {
		return nil, err
	}
	token := f.Get("refresh_token")
	if token == "" {
		return nil, endpoint.Invalid("The parameter refresh_token is missing")
	}
	return e.Grants.Refresh(r.Context(), client, grants.RefreshRequest{Token: token, Scopes: scopes, Resources: resources})
}

func (e *Endpoint) clientCredentials(r *http.Request, client store.Client, f url.Values) (any, error) {
	resources, err := e.Target(f.Get("resource"))
	if err != nil {
		return nil, err
	}
	scopes, err := e.Wanted(f.Get("scope"), client.Scopes)
	if err != nil {
		return nil, err
	}
	endpoint.SetMachine(r.Context())
	return e.Grants.Issue(r.Context(), grants.Credentials, grants.Authorization{Client: client, Scopes: scopes, Resources: resources})
}
