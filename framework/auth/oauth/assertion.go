package oauth

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/jose"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// clientAssertion is the only client_assertion_type (RFC 7523, section 2.2).
const clientAssertion = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

// hasSigned reports whether a client has signed an assertion, which it can use once (RFC 7523,
// section 3). The reason for a refusal is logged, and not told.
func (s *Server) hasSigned(ctx context.Context, client store.Client, assertion *jose.Unverified) (bool, error) {
	if assertion == nil || assertion.Issuer != client.ID || !slices.Contains(methodsOf(client), methodKey) {
		return false, nil
	}
	keys, err := s.keysOf(ctx, client, assertion)
	if err != nil {
		return false, err
	}
	now := time.Now()
	token, refusal := keys.VerifyAny(assertion, now, limits.Leeway)
	if refusal == nil {
		refusal = s.checkClientAssertion(client, token, now)
	}
	if refusal == nil {
		fresh, err := s.useOnce(ctx, token, limits.Leeway, now)
		if err != nil || fresh {
			return fresh, err
		}
		refusal = errReplayed
	}
	s.logger().InfoContext(ctx, "the assertion of a client is refused", "client", quoted(client.ID), "error", refusal)
	return false, nil
}

// checkClientAssertion returns why the claims of a client's assertion are wrong.
func (s *Server) checkClientAssertion(client store.Client, token *jose.Token, now time.Time) error {
	issued, hasIssued := token.Claims["iat"].(float64)
	audience := soleAudience(token.Claims)
	switch {
	case !isType(token, "", "JWT", "client-authentication+jwt"):
		return fmt.Errorf("the type (typ) in its header is %.50q, not JWT or client-authentication+jwt", token.Type)
	case token.Claims["sub"] != client.ID:
		return errors.New("its subject (sub) is not the client_id")
	case !s.isIssuer(audience) && audience != s.site.URL+tokenPath: // ChatGPT names the endpoint
		return fmt.Errorf("its audience (aud) is %.200q, not %s alone", audience, s.site.URL)
	case token.Expires.After(now.Add(limits.ClientAssertionTime + limits.Leeway)):
		return fmt.Errorf("it expires (exp) in more than %v", limits.ClientAssertionTime)
	case hasIssued && now.Sub(time.Unix(int64(issued), 0)) > limits.ClientAssertionTime+limits.Leeway:
		return fmt.Errorf("it was issued (iat) more than %v ago", limits.ClientAssertionTime)
	}
	return nil
}

// errReplayed means that an assertion can't be used.
var errReplayed = errors.New("it has no ID (jti), or was used before")

// useOnce reports whether an assertion of an issuer is used for the first time.
func (s *Server) useOnce(ctx context.Context, token *jose.Token, leeway time.Duration, now time.Time) (fresh bool, err error) {
	issuer, _ := token.Claims["iss"].(string)
	id, _ := token.Claims["jti"].(string)
	if id == "" {
		return false, nil
	}
	err = s.store.AddValue(ctx, keyOf(assertionKey, issuer+" "+id), store.Value{Expires: token.Expires.Add(leeway)}, now)
	if errors.Is(err, store.ErrExists) {
		return false, nil
	}
	return err == nil, err
}

// isIssuer reports whether an audience is this server. Some clients add a slash to the issuer,
// or remove one.
func (s *Server) isIssuer(audience string) bool {
	return strings.TrimSuffix(audience, "/") == s.site.URL
}

// soleAudience returns the audience of an assertion, or "" if there are several: others could
// use such an assertion here.
func soleAudience(claims map[string]any) string {
	if list, ok := claims["aud"].([]any); ok && len(list) == 1 {
		one, _ := list[0].(string)
		return one
	}
	return audienceOf(claims)
}

// isType reports whether the header of a token has one of the types (RFC 7515, section 4.1.9).
func isType(token *jose.Token, types ...string) bool {
	typ := strings.TrimPrefix(strings.ToLower(token.Type), "application/")
	return slices.ContainsFunc(types, func(one string) bool { return strings.EqualFold(one, typ) })
}
