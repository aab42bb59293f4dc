package auth

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/bowline-mcp/bowline/framework/auth/internal/issuers"
	"github.com/bowline-mcp/bowline/framework/auth/jose"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/fetch"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// An IntrospectionConfig says how to ask an issuer about its tokens. Issuer.URL, ClientID and
// ClientSecret are required. Mistakes keep the program from starting.
type IntrospectionConfig struct {
	// Issuer is the issuer. Its JWKS must be "".
	Issuer Issuer

	// Endpoint is the URL of the issuer's introspection endpoint. The default is the one in
	// its metadata (introspection_endpoint).
	Endpoint string

	// ClientID and ClientSecret are the program's credentials. They are sent as HTTP Basic
	// authentication (RFC 6749, section 2.3.1).
	ClientID     string
	ClientSecret string

	// AudienceOptional accepts tokens for which the answer has no audience, because the issuer
	// makes tokens for this program alone. An audience in the answer is always checked.
	AudienceOptional bool

	// CacheTime is how long an answer is used, at most until the token expires. The default is
	// 30 seconds. It is also how long a token may be valid after the issuer has revoked it;
	// streams that are open end up to 5 seconds later.
	CacheTime time.Duration
}

// Introspection returns a verifier that asks the issuer about each token (RFC 7662). Use it
// for opaque tokens, and for tokens that must end soon after they are revoked:
//
//	company := auth.Introspection(auth.IntrospectionConfig{
//		Issuer:   auth.Issuer{URL: "https://login.example.com"},
//		ClientID: "files", ClientSecret: env.String("CLIENT_SECRET", ""),
//	})
//
// The answer must be active, and its issuer, audience, subject and times are checked like
// those of [JWT]; only its expiry may be missing. A JSON Web Token of another issuer is never
// sent. Requests with the same token at the same time cause one call. While the issuer is
// down, tokens that were not verified lately are refused with 503.
func Introspection(config IntrospectionConfig) Verifier {
	v := &introspector{config: config, cache: newTokenCache(limits.MaxTokens), refusals: newTokenCache(limits.MaxInactiveTokens)}
	v.mistakes = v.config.check()
	issuer := &v.config.Issuer
	v.claims = newClaimReader(issuer)
	v.claims.audienceOptional = config.AudienceOptional
	v.endpoint.Fetcher, v.endpoint.Issuer = issuers.NewFetcher(issuer.URL, issuer.Client), issuer.URL
	v.endpoint.Member, v.endpoint.Fixed = "introspection_endpoint", config.Endpoint
	v.outage.Issuer, v.outage.Logger = issuer.URL, issuer.Logger
	return v
}

// check returns the mistakes in the fields, and sets defaults.
func (c *IntrospectionConfig) check() error {
	mistakes := []error{c.Issuer.check("Introspection")}
	add := func(format string, args ...any) {
		mistakes = append(mistakes, fmt.Errorf("auth.Introspection: "+format, args...))
	}
	if c.Issuer.JWKS != "" {
		add("Issuer.JWKS has no effect, since the issuer is asked about each token; remove it, or use auth.JWT")
	}
	if c.ClientID == "" || c.ClientSecret == "" {
		add("ClientID or ClientSecret is missing; register the program as a confidential client of the issuer")
	}
	if c.Endpoint != "" && checkIssuerURL(c.Issuer.URL) == nil {
		if err := fetch.ReachFrom(c.Issuer.URL).CheckURL(c.Endpoint); err != nil {
			add("Endpoint %q: %w", c.Endpoint, err)
		}
	}
	if c.CacheTime < 0 {
		add("CacheTime is %v; set it to more than 0, or leave it out for %v", c.CacheTime, limits.IntrospectionTime)
	}
	c.CacheTime = cmp.Or(c.CacheTime, limits.IntrospectionTime)
	return errors.Join(mistakes...)
}

type introspector struct {
	config   IntrospectionConfig
	mistakes error
	claims   *claimReader
	endpoint issuers.Endpoint
	outage   issuers.Outage
	cache    *tokenCache
	refusals *tokenCache // apart, so that refused tokens don't displace valid ones

	calls   singleflight.Group // by the keys of tokens
	mu      sync.Mutex
	running int // calls
}

// Issuers returns the issuer, or the mistakes in the configuration.
func (v *introspector) Issuers() ([]string, error) {
	if v.mistakes != nil {
		return nil, v.mistakes
	}
	return []string{v.config.Issuer.URL}, nil
}

// known returns the entry of a token that was verified lately, or nil.
func (v *introspector) known(token, resource string) *knownToken {
	return v.cache.get(v.cache.key(token, resource), 0, time.Now())
}

// Verify returns the principal of a token.
func (v *introspector) Verify(ctx context.Context, token, resource string) (exchange.Principal, error) {
	key := v.cache.key(token, resource)
	if known := v.cache.get(key, 0, time.Now()); known != nil {
		return known.principal, nil
	}
	opaque, err := v.check(token)
	if err != nil {
		return exchange.Principal{}, err
	}
	if known := v.refusals.get(key, 0, time.Now()); known != nil { // it was just refused
		return exchange.Principal{}, known.err
	}
	answered, ok := issuers.Await(ctx, v.calls.DoChan(fmt.Sprint(key), func() (any, error) {
		return v.introspect(key, token, resource, opaque), nil
	}), limits.IssuerTimeout)
	if !ok {
		return exchange.Principal{}, issuers.Unavailable(time.Second)
	}
	known := answered.(*knownToken) //nolint:forcetypeassert // introspect returns one
	return known.principal, known.err
}

// check refuses tokens that must not be sent to the issuer. It reports whether the token is
// opaque, so that its issuer is not known.
func (v *introspector) check(token string) (opaque bool, err error) {
	if v.mistakes != nil {
		return false, v.mistakes
	}
	unverified, err := jose.Parse(token)
	switch {
	case errors.Is(err, jose.ErrNotJWT):
		return true, nil
	case err != nil:
		return false, tokenError(err)
	case unverified.Issuer != "" && unverified.Issuer != v.config.Issuer.URL:
		return false, otherIssuer(unverified.Issuer, v.config.Issuer.URL)
	}
	return unverified.Issuer == "", nil
}

// introspect returns the result for a token that is not known. It doesn't depend on the request
// that needs it first, since others wait for it too.
func (v *introspector) introspect(key tokenKey, token, resource string, opaque bool) *knownToken {
	now := time.Now()
	for _, lately := range []*tokenCache{v.cache, v.refusals} { // another request has just got it
		if known := lately.get(key, 0, now); known != nil {
			return known
		}
	}
	if wait := v.outage.Wait(now); wait > 0 {
		return &knownToken{err: issuers.Unavailable(wait)}
	}
	if !v.begin(key) {
		return &knownToken{err: issuers.Unavailable(time.Second)}
	}
	defer v.end()
	ctx, cancel := context.WithTimeout(context.Background(), limits.IssuerTimeout)
	defer cancel()
	claims, pause, err := v.ask(ctx, token)
	now = time.Now()
	known, until := &knownToken{}, now.Add(limits.InactiveTime)
	if refusal, ok := errors.AsType[*TokenError](err); ok {
		v.outage.Ended()
		known.err = refusal
	} else if err != nil {
		if pause {
			v.endpoint.Forget()
		}
		v.outage.Failed(now, err, pause)
		known.err, until = issuers.Unavailable(v.outage.Wait(now)), now.Add(limits.IssuerPause)
	} else {
		v.outage.Ended()
		known.principal, known.err = v.principal(claims, resource, opaque, now)
	}
	if known.err != nil {
		v.refusals.Put(key, known, now, until)
		return known
	}
	until = now.Add(v.config.CacheTime)
	if end := known.principal.Expires; !end.IsZero() && end.Before(until) {
		until = end
	}
	v.cache.Put(key, known, now, until)
	return known
}

// begin counts a call, and reports false if too many run.
func (v *introspector) begin(key tokenKey) bool {
	most := limits.UnknownIntrospections
	if v.cache.Has(key) { // it was valid a while ago
		most = limits.IntrospectionCalls
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.running >= most {
		return false
	}
	v.running++
	return true
}

func (v *introspector) end() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.running--
}

// ask returns the answer of the issuer. With an error, it reports whether the next call has
// to wait, which a single token must not cause. The error is a *TokenError if the issuer
// doesn't introspect such tokens.
func (v *introspector) ask(ctx context.Context, token string) (claims map[string]any, pause bool, err error) {
	address, err := v.endpoint.URL(ctx)
	if err != nil {
		return nil, true, err
	}
	form := url.Values{"token": {token}, "token_type_hint": {"access_token"}}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, true, fmt.Errorf("the introspection endpoint %q is not a URL", address)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Accept", "application/json")
	request.SetBasicAuth(url.QueryEscape(v.config.ClientID), url.QueryEscape(v.config.ClientSecret))
	answer, err := v.endpoint.Fetcher.Do(request)
	if err != nil {
		return nil, true, err
	}
	switch answer.Status {
	case http.StatusOK:
	case http.StatusUnauthorized, http.StatusForbidden:
		return nil, true, fmt.Errorf("%s refuses this program with the status %d; check ClientID and ClientSecret, and that the client may introspect tokens", address, answer.Status)
	default:
		if answer.Status == http.StatusBadRequest && isUnsupportedType(answer.Body) {
			return nil, false, &TokenError{
				Reason:  "The issuer does not introspect access tokens of this kind",
				Err:     fmt.Errorf("%s answers with unsupported_token_type; if the token is a JSON Web Token, verify it with auth.JWT", address),
				Unknown: true,
			}
		}
		pause = slices.Contains([]int{http.StatusNotFound, http.StatusTooManyRequests, http.StatusServiceUnavailable}, answer.Status)
		return nil, pause, fmt.Errorf("%s answers with the status %d; check that it is an introspection endpoint", address, answer.Status)
	}
	if err := codec.Unmarshal(answer.Body, &claims); err != nil {
		return nil, false, fmt.Errorf("the answer of %s is not JSON: %s; check that it is an introspection endpoint", address, codec.Explain(err))
	}
	if _, ok := claims["active"].(bool); !ok {
		return nil, false, fmt.Errorf(`the answer of %s has no "active"; check that it is an introspection endpoint`, address)
	}
	return claims, false, nil
}

// isUnsupportedType reports whether an answer is the error with which some issuers refuse to
// introspect JSON Web Tokens (RFC 7009, section 2.2.1). RFC 7662 has no error for it.
func isUnsupportedType(body []byte) bool {
	var failure struct {
		Error string `json:"error"`
	}
	return codec.Unmarshal(body, &failure) == nil && failure.Error == "unsupported_token_type"
}

// principal returns the principal of an answer.
func (v *introspector) principal(claims map[string]any, resource string, opaque bool, now time.Time) (exchange.Principal, error) {
	if claims["active"] != true {
		return exchange.Principal{}, &TokenError{Reason: "The access token has expired or was revoked", Err: errors.New("the issuer says that it is not active"), Unknown: opaque}
	}
	if issuer, has := claims["iss"]; has && issuer != v.config.Issuer.URL {
		return exchange.Principal{}, refused("The access token is from another issuer", "the answer names the issuer (iss) %s, not %q; Issuer.URL must be exactly equal to it", shown(issuer), v.config.Issuer.URL)
	}
	expires, err := jose.CheckTimes(claims, now, v.config.Issuer.leeway())
	if err != nil {
		return exchange.Principal{}, tokenError(err)
	}
	return v.claims.principal(claims, expires, resource)
}
