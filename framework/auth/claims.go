package auth

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// Claims names the claims of a token that a principal is made from.
type Claims struct {
	// Subject identifies the user or service. The default is sub. Some issuers leave it out of
	// the tokens of services; if such an issuer has no tokens of users, use "client_id".
	Subject string

	// Client is the client that the token was issued to. The default is the first of
	// client_id, azp, cid and appid that the token has.
	Client string

	// Scopes is a list, or a text with spaces. The default is the first of scope, scp,
	// permissions and roles that the token has.
	Scopes string

	// Audience is what the token is meant for, a text or a list. The default is aud. The
	// access tokens of Amazon Cognito have none; for them use "client_id", with the IDs of
	// the clients in Issuer.Audiences.
	Audience string
}

// A claimReader makes principals from claims.
type claimReader struct {
	issuer                            *Issuer
	subject, client, scopes, audience []string
	audienceOptional                  bool
}

func newClaimReader(issuer *Issuer) *claimReader {
	or := func(name string, defaults ...string) []string {
		if name != "" {
			return []string{name}
		}
		return defaults
	}
	return &claimReader{
		issuer:   issuer,
		subject:  or(issuer.Claims.Subject, "sub"),
		client:   or(issuer.Claims.Client, "client_id", "azp", "cid", "appid"),
		scopes:   or(issuer.Claims.Scopes, "scope", "scp", "permissions", "roles"),
		audience: or(issuer.Claims.Audience, "aud"),
	}
}

// principal returns the principal of valid claims that are meant for the resource.
func (r *claimReader) principal(claims map[string]any, expires time.Time, resource string) (exchange.Principal, error) {
	if err := checkAccessToken(claims); err != nil {
		return exchange.Principal{}, err
	}
	if err := r.checkAudience(claims, resource); err != nil {
		return exchange.Principal{}, err
	}
	subject := text(claims, r.subject)
	if subject == "" {
		return exchange.Principal{}, refused("The access token has no subject", "it has no claim %s; set Issuer.Claims.Subject to the claim that identifies the user or service", r.subject[0])
	}
	scopes, err := words(claims, r.scopes)
	if err != nil {
		return exchange.Principal{}, err
	}
	if !expires.IsZero() {
		expires = expires.Add(r.issuer.leeway())
	}
	return exchange.Principal{
		ID:      r.issuer.URL + " " + subject,
		Subject: subject,
		Client:  r.clientOf(claims),
		Issuer:  r.issuer.URL,
		Scopes:  expand(scopes, r.issuer.Implies),
		Expires: expires,
		Claims:  claims,
	}, nil
}

// clientOf returns the client that a token was issued to, or "".
func (r *claimReader) clientOf(claims map[string]any) string {
	return text(claims, r.client)
}

// checkAudience returns an error if the token is meant for others.
func (r *claimReader) checkAudience(claims map[string]any, resource string) error {
	if claims[r.audience[0]] == nil && r.audienceOptional {
		return nil
	}
	audiences := texts(claims[r.audience[0]])
	if one, ok := claims[r.audience[0]].(string); ok {
		audiences = []string{one}
	}
	wanted := append([]string{resource}, r.issuer.Audiences...)
	for _, audience := range audiences {
		if slices.ContainsFunc(wanted, func(want string) bool { return isSameAudience(audience, want) }) {
			return nil
		}
	}
	return refused("The access token is not meant for this resource",
		"its claim %s is %s, but one of %s is required; its iss is %s, its client is %s. Let the issuer put the resource into its tokens, or set Issuer.Audiences",
		r.audience[0], shown(claims[r.audience[0]]), shown(wanted), shown(claims["iss"]), shown(r.clientOf(claims)))
}

// checkAccessToken refuses other tokens of an issuer by their claims: ID tokens, logout
// tokens, refresh tokens and tokens that are bound to a key of the client.
func checkAccessToken(claims map[string]any) error {
	const reason = "The token is not an access token"
	for _, name := range []string{"at_hash", "c_hash", "s_hash", "nonce", "events"} {
		if _, has := claims[name]; has {
			return refused(reason, "it has the claim %s, as ID tokens or logout tokens have; let the client send its access token", name)
		}
	}
	if use, has := claims["token_use"]; has && use != "access" && use != "access_token" {
		return refused(reason, "its claim token_use is %s", shown(use))
	}
	for _, name := range []string{"typ", "token_type"} {
		value, has := claims[name]
		if kind, _ := value.(string); has && !strings.EqualFold(kind, "Bearer") {
			return refused(reason, "its claim %s is %s, not Bearer", name, shown(value))
		}
	}
	if _, has := claims["cnf"]; has {
		return refused("The access token is bound to a key of the client, which this server does not support", "it has the claim cnf (DPoP or mutual TLS); let the issuer make bearer tokens")
	}
	return nil
}

// isSameAudience compares audiences. Some issuers and clients add a slash to URLs, and
// hosts may have capital letters (specification: Canonical Server URI).
func isSameAudience(a, b string) bool {
	a, b = strings.TrimSuffix(a, "/"), strings.TrimSuffix(b, "/")
	if a == b {
		return a != ""
	}
	return lowerOrigin(a) == lowerOrigin(b)
}

// lowerOrigin returns a URL with its scheme and host in lower case. It changes only ASCII
// letters: others, such as the Kelvin sign, have a lower case in ASCII too.
func lowerOrigin(text string) string {
	_, host, ok := strings.Cut(text, "://")
	if !ok {
		return text
	}
	end := len(text)
	if i := strings.IndexAny(host, "/?#"); i >= 0 {
		end -= len(host) - i
	}
	lower := func(c rune) rune {
		if 'A' <= c && c <= 'Z' {
			return c + 'a' - 'A'
		}
		return c
	}
	return strings.Map(lower, text[:end]) + text[end:]
}

// text returns the first of the claims that the token has, or "".
func text(claims map[string]any, names []string) string {
	for _, name := range names {
		if value, ok := claims[name].(string); ok && value != "" {
			return value
		}
	}
	return ""
}

// words returns the words of the first of the claims that the token has.
func words(claims map[string]any, names []string) ([]string, error) {
	for _, name := range names {
		switch value := claims[name].(type) {
		case nil:
		case string:
			return strings.Fields(value), nil
		case []any:
			return texts(value), nil
		default:
			return nil, refused("The access token is malformed", "its claim %s is %s, not a text or a list", name, shown(value))
		}
	}
	return nil, nil
}

// texts returns the texts of a list.
func texts(value any) (found []string) {
	list, _ := value.([]any)
	for _, one := range list {
		if text, ok := one.(string); ok {
			found = append(found, text)
		}
	}
	return found
}

// expand returns scopes with those that they imply, each once.
func expand(scopes []string, implied map[string][]string) (all []string) {
	seen := map[string]bool{}
	var add func(scopes []string)
	add = func(scopes []string) {
		for _, scope := range scopes {
			if !seen[scope] {
				seen[scope] = true
				all = append(all, scope)
				add(implied[scope])
			}
		}
	}
	add(scopes)
	return slices.Clip(all)
}

// shown returns a claim for a log line.
func shown(value any) string {
	data, err := codec.Marshal(value)
	if err != nil {
		return "not JSON"
	}
	return naming.Cut(string(data), limits.MaxClaim)
}

// refused returns the error for a token, with a cause for the log.
func refused(reason, format string, args ...any) *TokenError {
	return &TokenError{Reason: reason, Err: fmt.Errorf(format, args...)}
}
