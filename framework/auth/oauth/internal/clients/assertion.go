package clients

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/jose"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/endpoint"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// clientAssertion is the only client_assertion_type (RFC 7523, section 2.2).
const clientAssertion = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

// hasSigned reports whether a client has signed an assertion, which it can use once (RFC 7523,
// section 3). The reason for a refusal is logged, and not told.
func (g *Registry) hasSigned(ctx context.Context, client store.Client, assertion *jose.Unverified) (bool, error) {
	if assertion == nil || assertion.Issuer != client.ID || !slices.Contains(MethodsOf(client), MethodKey) {
		return false, nil
	}
	keys, err := g.keysOf(ctx, client, assertion)
	if err != nil {
		return false, err
	}
	now := time.Now()
	token, refusal := keys.VerifyAny(assertion, now, limits.Leeway)
	if refusal == nil {
		refusal = g.CheckAssertion(token, now, limits.ClientAssertionTime, []string{"JWT", "client-authentication+jwt", ""}, g.URL+endpoint.TokenPath) // ChatGPT names the endpoint
	}
	if refusal == nil && token.Claims["sub"] != client.ID {
		refusal = errors.New("its subject (sub) is not the client_id")
	}
	if refusal == nil {
		fresh, err := g.UseOnce(ctx, token, limits.Leeway, now)
		if err != nil || fresh {
			return fresh, err
		}
		refusal = ErrReplayed
	}
	g.Logger.InfoContext(ctx, "the assertion of a client is refused", "error", refusal)
	return false, nil
}

// CheckAssertion returns why the type, the audience or the times of an assertion that is valid
// for a lifetime at most are wrong. The audience is the issuer, or one of those that are given.
func (g *Registry) CheckAssertion(token *jose.Token, now time.Time, lifetime time.Duration, types []string, audiences ...string) error {
	typ := strings.TrimPrefix(strings.ToLower(token.Type), "application/") // RFC 7515, section 4.1.9
	issued, hasIssued := token.Claims["iat"].(float64)
	audience := soleAudience(token.Claims)
	switch {
	case !slices.ContainsFunc(types, func(one string) bool { return strings.EqualFold(one, typ) }):
		return fmt.Errorf("the type (typ) in its header is %.50q, not %s", token.Type, strings.TrimSuffix(strings.Join(types, " or "), " or "))
	case strings.TrimSuffix(audience, "/") != g.URL && !slices.Contains(audiences, audience): // some add a slash
		return fmt.Errorf("its audience (aud) is %.200q, not %s alone", audience, g.URL)
	case token.Expires.After(now.Add(lifetime + limits.Leeway)):
		return fmt.Errorf("it expires (exp) in more than %v", lifetime)
	case hasIssued && now.Sub(time.Unix(int64(issued), 0)) > lifetime+limits.Leeway:
		return fmt.Errorf("it was issued (iat) more than %v ago", lifetime)
	}
	return nil
}

// ErrReplayed means that an assertion can't be used.
var ErrReplayed = errors.New("it has no ID (jti), or was used before")

// UseOnce reports whether an assertion of an issuer is used for the first time.
func (g *Registry) UseOnce(ctx context.Context, token *jose.Token, leeway time.Duration, now time.Time) (fresh bool, err error) {
	issuer, _ := token.Claims["iss"].(string)
	id, _ := token.Claims["jti"].(string)
	if id == "" {
		return false, nil
	}
	err = g.Store.AddValue(ctx, store.HashOf("assertion "+issuer+" "+id), store.Value{Expires: token.Expires.Add(leeway)}, now)
	if errors.Is(err, store.ErrExists) {
		return false, nil
	}
	return err == nil, err
}

// soleAudience returns the audience of an assertion, or "" if there are several: others could
// use such an assertion here.
func soleAudience(claims map[string]any) string {
	if list, ok := claims["aud"].([]any); ok && len(list) == 1 {
		claims = map[string]any{"aud": list[0]}
	}
	audience, _ := claims["aud"].(string)
	return audience
}
