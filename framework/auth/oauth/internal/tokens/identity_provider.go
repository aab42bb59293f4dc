package tokens

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth"
	"github.com/bowline-mcp/bowline/framework/auth/internal/issuers"
	"github.com/bowline-mcp/bowline/framework/auth/jose"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/clients"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/endpoint"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/grants"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// The grant of assertions (RFC 7523, section 2.1), and its only profile (Identity Assertion
// JWT Authorization Grant, draft-ietf-oauth-identity-assertion-authz-grant).
const (
	ProfileIDJAG = "urn:ietf:params:oauth:grant-profile:id-jag"
	identityType = "oauth-id-jag+jwt"
)

// An identityProvider is one whose assertions clients exchange for tokens.
type identityProvider struct {
	auth.Issuer
	keys *issuers.Keys
}

// exchangeIdentity returns an access token for the user of an assertion. There is no refresh
// token: the client gets another assertion, so that the identity provider can end the access.
func (e *Endpoint) exchangeIdentity(r *http.Request, client store.Client, f url.Values) (any, error) {
	text := f.Get("assertion")
	if text == "" {
		return nil, endpoint.Invalid("The parameter assertion is missing")
	}
	token, err := e.identity(r.Context(), client, text)
	if err != nil {
		return nil, err
	}
	resources, err := e.assertedResources(token, f.Get("resource"))
	if err != nil {
		return nil, err
	}
	scopes, err := e.assertedScopes(token, client, f.Get("scope"))
	if err != nil {
		return nil, err
	}
	issuer, _ := token.Claims["iss"].(string)
	subject, _ := token.Claims["sub"].(string)
	name, _ := token.Claims["email"].(string)
	endpoint.SetUser(r.Context(), issuer+"|"+subject)
	return e.Grants.Issue(r.Context(), grants.Assertion, grants.Authorization{
		Client: client, UserID: issuer + "|" + subject, UserName: cmp.Or(name, subject), Scopes: scopes, Resources: resources,
	})
}

// identity verifies an assertion, which can be used once. The reason for a refusal is logged,
// and not told.
func (e *Endpoint) identity(ctx context.Context, client store.Client, text string) (*jose.Token, error) {
	token, refusal, err := e.verifyIdentity(ctx, client, text)
	if err != nil || refusal == nil {
		return token, err
	}
	e.Logger.InfoContext(ctx, "the assertion of an identity provider is refused", "error", refusal)
	return nil, endpoint.Refused("invalid_grant", "The assertion is not valid, has expired or was used before")
}

func (e *Endpoint) verifyIdentity(ctx context.Context, client store.Client, text string) (token *jose.Token, refusal, err error) {
	unverified, refusal := jose.Parse(text)
	if refusal != nil {
		return nil, refusal, nil
	}
	provider := e.providers[unverified.Issuer]
	if provider == nil {
		return nil, fmt.Errorf("its issuer (iss) is %.200q, which is not one of Config.IdentityProviders", unverified.Issuer), nil
	}
	if refusal := unverified.Supported(); refusal != nil {
		return nil, refusal, nil
	}
	now := time.Now()
	keys, err := provider.keys.Find(ctx, unverified, now)
	if err != nil { // the log says why
		return nil, nil, endpoint.Unavailable("The keys of the identity provider can't be fetched; try again later")
	}
	leeway := cmp.Or(provider.Leeway, limits.Leeway)
	if token, refusal = keys.Set.Verify(unverified, now, leeway); refusal != nil {
		return nil, refusal, nil
	}
	if refusal := e.checkIdentity(client, token, now); refusal != nil {
		return nil, refusal, nil
	}
	fresh, err := e.Clients.UseOnce(ctx, token, leeway, now)
	if err != nil || fresh {
		return token, nil, err
	}
	return nil, clients.ErrReplayed, nil
}

// checkIdentity returns why the claims of an assertion are wrong.
func (e *Endpoint) checkIdentity(client store.Client, token *jose.Token, now time.Time) error {
	subject, _ := token.Claims["sub"].(string)
	_, hasIssued := token.Claims["iat"].(float64)
	switch {
	case token.Claims["client_id"] != client.ID:
		return errors.New("its client_id names a client other than its sender")
	case subject == "":
		return errors.New("it has no subject (sub)")
	case !hasIssued:
		return errors.New("it has no time of issue (iat)")
	}
	return e.Clients.CheckAssertion(token, now, limits.IdentityTime, []string{identityType})
}

// assertedResources returns the resources of an assertion, or the one that the request names of
// them. An assertion may leave them to the server.
func (e *Endpoint) assertedResources(token *jose.Token, requested string) ([]string, error) {
	var asserted []any
	switch claim := token.Claims["resource"].(type) {
	case nil:
		return e.Target(requested)
	case []any:
		asserted = claim
	default:
		asserted = []any{claim}
	}
	var resources []string
	for _, one := range asserted {
		text, _ := one.(string)
		found, err := e.Target(text)
		if text == "" || err != nil {
			return nil, endpoint.Refused("invalid_grant", "The assertion is for a resource that this server doesn't have")
		}
		resources = append(resources, found...)
	}
	if requested == "" {
		return resources, nil
	}
	wanted, err := e.Target(requested)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(resources, wanted[0]) {
		return nil, endpoint.Refused("invalid_target", "The assertion is for another resource")
	}
	return wanted, nil
}

// assertedScopes returns the scopes that both an assertion and the request name, and that the
// client may have. An assertion without scopes grants the default ones, and a request without
// scopes asks for all.
func (e *Endpoint) assertedScopes(token *jose.Token, client store.Client, requested string) ([]string, error) {
	claim, _ := token.Claims["scope"].(string)
	asserted, err := parseScopes(claim)
	if err != nil {
		return nil, err
	}
	if token.Claims["scope"] == nil {
		asserted = e.DefaultScopes
	}
	wanted, err := parseScopes(requested)
	if err != nil {
		return nil, err
	}
	scopes := slices.DeleteFunc(slices.Clone(asserted), func(scope string) bool {
		_, known := e.Scopes[scope]
		return !known || len(wanted) > 0 && !slices.Contains(wanted, scope) || len(client.Scopes) > 0 && !slices.Contains(client.Scopes, scope)
	})
	if len(scopes) == 0 {
		return nil, endpoint.Refused("invalid_grant", "The assertion grants none of the scopes; ask the administrator of the identity provider for them")
	}
	return scopes, nil
}

// IsProvided reports whether the ID belongs to a user of an identity provider; see
// exchangeIdentity.
func IsProvided(providers []auth.Issuer, id string) bool {
	return slices.ContainsFunc(providers, func(provider auth.Issuer) bool { return strings.HasPrefix(id, provider.URL+"|") })
}
