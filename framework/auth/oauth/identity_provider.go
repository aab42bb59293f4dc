package oauth

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth"
	"github.com/bowline-mcp/bowline/framework/auth/internal/issuers"
	"github.com/bowline-mcp/bowline/framework/auth/jose"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/grants"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// The grant of assertions (RFC 7523, section 2.1), and its only profile (Identity Assertion
// JWT Authorization Grant, draft-ietf-oauth-identity-assertion-authz-grant).
const (
	grantAssertion  = "urn:ietf:params:oauth:grant-type:jwt-bearer"
	profileIDJAG    = "urn:ietf:params:oauth:grant-profile:id-jag"
	identityType    = "oauth-id-jag+jwt"
	identityRefused = "The assertion is not valid, has expired or was used before"
)

// An identityProvider is one whose assertions clients exchange for tokens.
type identityProvider struct {
	auth.Issuer
	keys *issuers.Keys
}

// checkProviders returns the mistakes in the identity providers.
func checkProviders(providers []auth.Issuer) error {
	var mistakes []error
	seen := map[string]bool{}
	for _, provider := range providers {
		if _, err := auth.JWT(provider).Issuers(); err != nil {
			mistakes = append(mistakes, fmt.Errorf("oauth: Config.IdentityProviders: %w", err))
		}
		if provider.Audiences != nil || provider.Implies != nil || provider.Claims != (auth.Claims{}) {
			mistakes = append(mistakes, fmt.Errorf("oauth: Config.IdentityProviders has %s with Audiences, Claims or Implies, which its assertions don't have; remove them", provider.URL))
		}
		if seen[provider.URL] {
			mistakes = append(mistakes, fmt.Errorf("oauth: Config.IdentityProviders has %s twice; remove one", provider.URL))
		}
		seen[provider.URL] = true
	}
	return errors.Join(mistakes...)
}

// openProviders returns the identity providers by their URLs.
func (s *Server) openProviders() map[string]*identityProvider {
	opened := map[string]*identityProvider{}
	for _, provider := range s.config.IdentityProviders {
		keys := issuers.NewKeys(issuers.NewFetcher(provider.URL, provider.Client), provider.URL, provider.JWKS, cmp.Or(provider.Logger, s.logger()))
		opened[provider.URL] = &identityProvider{Issuer: provider, keys: keys}
	}
	return opened
}

// exchangeIdentity returns an access token for the user of an assertion. There is no refresh
// token: the client gets another assertion, so that the identity provider can end the access.
func (s *Server) exchangeIdentity(r *http.Request, client store.Client, f form) (any, error) {
	text := f.get("assertion")
	if text == "" {
		return nil, invalid("The parameter assertion is missing")
	}
	token, err := s.identity(r.Context(), client, text)
	if err != nil {
		return nil, err
	}
	resources, err := s.assertedResources(token, f.get("resource"))
	if err != nil {
		return nil, err
	}
	scopes, err := s.assertedScopes(token, client, f.get("scope"))
	if err != nil {
		return nil, err
	}
	issuer, _ := token.Claims["iss"].(string)
	subject, _ := token.Claims["sub"].(string)
	name, _ := token.Claims["email"].(string)
	return s.grants.Assertion(r.Context(), grants.Authorization{
		Client: client, UserID: issuer + "|" + subject, UserName: cmp.Or(name, subject), Scopes: scopes, Resources: resources,
	})
}

// isProvided reports whether the ID is that of a user of an identity provider; see
// exchangeIdentity.
func (s *Server) isProvided(id string) bool {
	return slices.ContainsFunc(s.config.IdentityProviders, func(provider auth.Issuer) bool { return strings.HasPrefix(id, provider.URL+"|") })
}

// refusedIdentity returns the error for an assertion that can't be exchanged.
func refusedIdentity(description string) *requestError {
	return &requestError{status: http.StatusBadRequest, code: "invalid_grant", description: description}
}

// identity verifies an assertion, which can be used once. The reason for a refusal is logged,
// and not told.
func (s *Server) identity(ctx context.Context, client store.Client, text string) (*jose.Token, error) {
	token, refusal, err := s.verifyIdentity(ctx, client, text)
	if err != nil || refusal == nil {
		return token, err
	}
	s.logger().InfoContext(ctx, "the assertion of an identity provider is refused", "client", quoted(client.ID), "error", refusal)
	return nil, refusedIdentity(identityRefused)
}

func (s *Server) verifyIdentity(ctx context.Context, client store.Client, text string) (token *jose.Token, refusal, err error) {
	unverified, refusal := jose.Parse(text)
	if refusal != nil {
		return nil, refusal, nil
	}
	provider := s.providers[unverified.Issuer]
	if provider == nil {
		return nil, fmt.Errorf("its issuer (iss) is %.200q, which is not one of Config.IdentityProviders", unverified.Issuer), nil
	}
	if refusal := unverified.Supported(); refusal != nil {
		return nil, refusal, nil
	}
	now := time.Now()
	keys, err := provider.keys.Find(ctx, unverified, now)
	if err != nil { // the log says why
		return nil, nil, unavailable("The keys of the identity provider can't be fetched; try again later")
	}
	leeway := cmp.Or(provider.Leeway, limits.Leeway)
	if token, refusal = keys.Set.Verify(unverified, now, leeway); refusal != nil {
		return nil, refusal, nil
	}
	if refusal := s.checkIdentity(client, token, now); refusal != nil {
		return nil, refusal, nil
	}
	fresh, err := s.useOnce(ctx, token, leeway, now)
	if err != nil || fresh {
		return token, nil, err
	}
	return nil, errReplayed, nil
}

// checkIdentity returns why the claims of an assertion are wrong.
func (s *Server) checkIdentity(client store.Client, token *jose.Token, now time.Time) error {
	issued, hasIssued := token.Claims["iat"].(float64)
	subject, _ := token.Claims["sub"].(string)
	audience := soleAudience(token.Claims)
	switch {
	case !isType(token, identityType):
		return fmt.Errorf("the type (typ) in its header is %.50q, not %s", token.Type, identityType)
	case !s.isIssuer(audience):
		return fmt.Errorf("its audience (aud) is %.200q, not %s alone", audience, s.site.URL)
	case token.Claims["client_id"] != client.ID:
		return errors.New("its client_id is not that of the client that sends it")
	case subject == "":
		return errors.New("it has no subject (sub)")
	case !hasIssued:
		return errors.New("it has no time of issue (iat)")
	case token.Expires.After(now.Add(limits.IdentityTime + limits.Leeway)):
		return fmt.Errorf("it expires (exp) in more than %v", limits.IdentityTime)
	case now.Sub(time.Unix(int64(issued), 0)) > limits.IdentityTime+limits.Leeway:
		return fmt.Errorf("it was issued (iat) more than %v ago", limits.IdentityTime)
	}
	return nil
}

// assertedResources returns the resources of an assertion, or the one that the request names of
// them. An assertion may leave them to the server.
func (s *Server) assertedResources(token *jose.Token, requested string) ([]string, error) {
	var asserted []any
	switch claim := token.Claims["resource"].(type) {
	case nil:
		return s.target(requested)
	case []any:
		asserted = claim
	default:
		asserted = []any{claim}
	}
	var resources []string
	for _, one := range asserted {
		text, _ := one.(string)
		found, err := s.target(text)
		if text == "" || err != nil {
			return nil, refusedIdentity("The assertion is for another resource than those of this server")
		}
		resources = append(resources, found...)
	}
	if requested == "" {
		return resources, nil
	}
	wanted, err := s.target(requested)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(resources, wanted[0]) {
		return nil, &requestError{status: http.StatusBadRequest, code: "invalid_target", description: "The assertion is for another resource"}
	}
	return wanted, nil
}

// assertedScopes returns the scopes that both an assertion and the request name, and that the
// client may have. An assertion without scopes grants the default ones, and a request without
// scopes asks for all.
func (s *Server) assertedScopes(token *jose.Token, client store.Client, requested string) ([]string, error) {
	claim, _ := token.Claims["scope"].(string)
	asserted, err := parseScopes(claim)
	if err != nil {
		return nil, err
	}
	if token.Claims["scope"] == nil {
		asserted = s.config.DefaultScopes
	}
	wanted, err := parseScopes(requested)
	if err != nil {
		return nil, err
	}
	scopes := slices.DeleteFunc(slices.Clone(asserted), func(scope string) bool {
		_, known := s.config.Scopes[scope]
		return !known || len(wanted) > 0 && !slices.Contains(wanted, scope) || len(client.Scopes) > 0 && !slices.Contains(client.Scopes, scope)
	})
	if len(scopes) == 0 {
		return nil, refusedIdentity("The assertion grants none of the scopes; ask the administrator of the identity provider for them")
	}
	return scopes, nil
}
