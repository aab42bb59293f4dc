package auth

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/internal/issuers"
	"github.com/bowline-mcp/bowline/framework/auth/jose"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// JWT returns a verifier of the access tokens of an issuer that are JSON Web Tokens (RFC
// 9068), signed with ES256, EdDSA, RS256 or PS256:
//
//	company := auth.JWT(auth.Issuer{URL: "https://login.example.com/realms/staff"})
//
// A token must have the issuer, an audience that the program accepts, a subject, an expiry and
// the ID of its key. Other tokens of the issuer, such as ID tokens, are refused. The ID of the
// principal is the issuer and the subject, separated by a space. Its Expires is the claim exp
// plus Leeway, and its Claims are all of the token.
//
// The keys of the issuer are fetched when the first token arrives, and then every 5 minutes to
// 1 hour, as the issuer's Cache-Control says. A token with an unknown key causes a fetch at
// most once a minute. When the issuer withdraws a key, its tokens are refused after the next
// fetch. While the issuer is down, its last keys are used for up to 24 hours. Without keys,
// tokens are refused with 503.
func JWT(issuer Issuer) Verifier {
	v := &jwtVerifier{issuer: issuer, mistakes: issuer.check("JWT"), cache: newTokenCache(limits.MaxTokens)}
	v.claims = newClaimReader(&v.issuer)
	v.keys = issuers.NewKeys(issuers.NewFetcher(issuer.URL, issuer.Client), issuer.URL, issuer.JWKS, issuer.Logger)
	return v
}

type jwtVerifier struct {
	issuer   Issuer
	mistakes error
	claims   *claimReader
	keys     *issuers.Keys
	cache    *tokenCache
}

// SetLocalKeys lets the verifier read the keys of an authorization server in the same program.
func (v *jwtVerifier) SetLocalKeys(read func() ([]byte, error)) { v.keys.Local = read }

// Issuers returns the issuer, or the mistakes in the configuration.
func (v *jwtVerifier) Issuers() ([]string, error) {
	if v.mistakes != nil {
		return nil, v.mistakes
	}
	return []string{v.issuer.URL}, nil
}

// Verify returns the principal of a token.
func (v *jwtVerifier) Verify(ctx context.Context, token, resource string) (exchange.Principal, error) {
	if known := v.known(token, resource); known != nil {
		return known.principal, nil
	}
	unverified, err := v.parse(token)
	if err != nil {
		return exchange.Principal{}, err
	}
	keys, err := v.keys.Find(ctx, unverified, time.Now())
	if err != nil {
		return exchange.Principal{}, err
	}
	now := time.Now()
	verified, err := keys.Set.Verify(unverified, now, v.issuer.leeway())
	if err != nil {
		return exchange.Principal{}, tokenError(err)
	}
	principal, err := v.principal(verified, resource)
	if err != nil {
		return exchange.Principal{}, err
	}
	v.cache.Put(v.cache.key(token, resource), &knownToken{principal: principal, generation: keys.Generation}, now, principal.Expires)
	return principal, nil
}

// known returns the entry of a token that was verified with the current keys, or nil.
func (v *jwtVerifier) known(token, resource string) *knownToken {
	now := time.Now()
	keys := v.keys.Usable(now)
	if keys == nil {
		return nil
	}
	return v.cache.get(v.cache.key(token, resource), keys.Generation, now)
}

// parse refuses all tokens that it can without a key, so that they cause no request.
func (v *jwtVerifier) parse(token string) (*jose.Unverified, error) {
	if v.mistakes != nil {
		return nil, v.mistakes
	}
	unverified, err := jose.Parse(token)
	if err != nil {
		return nil, tokenError(err)
	}
	if unverified.Issuer != v.issuer.URL {
		return nil, otherIssuer(unverified.Issuer, v.issuer.URL)
	}
	if err := unverified.Supported(); err != nil {
		return nil, tokenError(err)
	}
	return unverified, nil
}

// principal returns the principal of a token whose signature and times are valid.
func (v *jwtVerifier) principal(token *jose.Token, resource string) (exchange.Principal, error) {
	const reason = "The token is not an access token"
	switch typ := strings.TrimPrefix(strings.ToLower(token.Type), "application/"); typ {
	case "at+jwt", "okta-internal-at+jwt":
	case "jwt", "":
		if v.claims.clientOf(token.Claims) == "" {
			return exchange.Principal{}, refused(reason, `it has neither the type "at+jwt" in its header nor a claim %s, so it may be an ID token`, strings.Join(v.claims.client, ", "))
		}
	default:
		return exchange.Principal{}, refused(reason, `the type "typ" in its header is %.*q, not "at+jwt" or "JWT"`, limits.MaxLogged, token.Type)
	}
	return v.claims.principal(token.Claims, token.Expires, resource)
}

// otherIssuer returns the error for a token of another issuer.
func otherIssuer(issuer, wanted string) *TokenError {
	return &TokenError{
		Reason:  "The access token is from another issuer",
		Err:     fmt.Errorf("its issuer (claim iss) is %.*q, not %q; Issuer.URL must be exactly equal to it", limits.MaxClaim, issuer, wanted),
		Unknown: true,
	}
}

// tokenError returns the error for a token that package jose refuses.
func tokenError(err error) error {
	reasons := []struct {
		err    error
		reason string
	}{
		{jose.ErrNotJWT, "The access token is not a JSON Web Token"},
		{jose.ErrExpired, "The access token has expired"},
		{jose.ErrNotYetValid, "The access token is not valid yet"},
		{jose.ErrAlgorithm, "The access token is signed with an algorithm that is not accepted"},
		{jose.ErrUnknownKey, "The access token is signed with an unknown key"},
		{jose.ErrSignature, "The signature of the access token is wrong"},
		{jose.ErrMalformed, "The access token is malformed"},
	}
	for _, one := range reasons {
		if errors.Is(err, one.err) {
			return &TokenError{Reason: one.reason, Err: err, Unknown: errors.Is(err, jose.ErrNotJWT)}
		}
	}
	return err
}
