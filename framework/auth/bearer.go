package auth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/protected"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// A BearerGuard requires a bearer token in the header Authorization of each request (RFC
// 6750). It is a guard of routes; see mcp.Route.Guard.
type BearerGuard struct {
	verifier Verifier
	scopes   []string
	offered  []string
}

// Bearer returns a guard that requires an access token which the verifier accepts and which
// has all of the scopes. The scopes are the least that a client needs on the route, such as
// "mcp:use"; clients ask for them first. Tools that need more have [Require].
func Bearer(verifier Verifier, scopes ...string) *BearerGuard {
	return &BearerGuard{verifier: verifier, scopes: scopes}
}

// Offer returns a guard that also names scopes which it doesn't require, in its challenge and
// in the metadata of the route. Clients ask for them at the login, where the user may leave
// them out. Without it a client asks for the scopes of a tool when a call needs them, which
// some clients never do.
func (g *BearerGuard) Offer(scopes ...string) *BearerGuard {
	return &BearerGuard{verifier: g.verifier, scopes: g.scopes, offered: slices.Concat(g.offered, scopes)}
}

// named returns the scopes that the guard names.
func (g *BearerGuard) named() []string { return slices.Concat(g.scopes, g.offered) }

// errNoToken means that the request has no token. A client begins with such a request.
var errNoToken = errors.New("the request has no access token")

// errNoID means that a verifier makes a principal that can't be told from others.
var errNoID = errors.New("the verifier accepts the token, but returns a principal without ID; set it to what identifies the user or service")

// Authenticate returns the principal of the token of a request. It ignores tokens in the
// query and in the body.
func (g *BearerGuard) Authenticate(r *http.Request, resource string) (exchange.Principal, error) {
	token, err := bearerToken(r.Header["Authorization"])
	if err != nil {
		return exchange.Principal{}, refusal(err)
	}
	principal, err := g.verifier.Verify(r.Context(), token, resource)
	if err != nil {
		return exchange.Principal{}, refusal(err)
	}
	if principal.ID == "" && !principal.Local { // all such principals would share their sessions and states
		return exchange.Principal{}, refusal(errNoID)
	}
	if !principal.Can(g.scopes...) {
		return exchange.Principal{}, &exchange.ScopeError{Needed: g.scopes, Granted: principal.Scopes}
	}
	return principal, nil
}

// bearerToken returns the token of the values of a header Authorization.
func bearerToken(values []string) (string, error) {
	switch len(values) {
	case 0:
		return "", errNoToken
	case 1:
	default:
		return "", &TokenError{Reason: "The request has several Authorization headers"}
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return "", errNoToken
	}
	token = strings.Trim(token, " ")
	switch {
	case token == "":
		return "", &TokenError{Reason: "The access token is empty"}
	case len(token) > limits.MaxToken:
		return "", &TokenError{Reason: "The access token is too long"}
	case strings.IndexByte(token, ' ') >= 0: // the verifier refuses other characters
		return "", &TokenError{Reason: "The header Authorization has more than one access token"}
	}
	return token, nil
}

// unauthorized begins the messages of errors that say why a request is refused.
const unauthorized = "Unauthorized: "

// refusal returns the error that a client gets for an error of a verifier.
func refusal(err error) error {
	refused := &exchange.Error{Code: exchange.CodeInvalidRequest, Status: http.StatusUnauthorized, Err: err}
	var own *exchange.Error
	var invalid *TokenError
	switch {
	case errors.As(err, &own):
		return err
	case errors.Is(err, errNoToken):
		refused.Message = unauthorized + "send an access token in the header Authorization, such as \"Bearer TOKEN\""
	case errors.As(err, &invalid):
		refused.Message, refused.Err = unauthorized+invalid.Reason, invalid.Err
	default: // says nothing about the token, so the client must not discard it
		refused.Code, refused.Message, refused.Status = exchange.CodeInternalError, "Internal error", http.StatusInternalServerError
	}
	return refused
}

// FindPrincipal returns the principal with a name, with all scopes that it can have. The name
// belongs to a static token, or is the email address or ID of a user of the program's authorization
// server. The principal has no client and no expiry, since there is no token, and its claims are
// its subject, name and scopes. The command start --as uses it, with which the person who runs the
// program sees what somebody else sees; nothing else must, since it checks no token. The error
// says why nobody has the name. It is an *exchange.ScopeError if the principal lacks scopes that
// the guard requires. A verifier of your own may have the same method.
func (g *BearerGuard) FindPrincipal(ctx context.Context, name string) (exchange.Principal, error) {
	principal, err := findPrincipal(ctx, g.verifier, name)
	if err != nil {
		return exchange.Principal{}, err
	}
	if !principal.Can(g.scopes...) {
		return exchange.Principal{}, &exchange.ScopeError{Needed: g.scopes, Granted: principal.Scopes}
	}
	return principal, nil
}

// A principalFinder is a verifier that knows principals by name.
type principalFinder interface {
	FindPrincipal(ctx context.Context, name string) (exchange.Principal, error)
}

// findPrincipal returns the principal whom a verifier knows by a name.
func findPrincipal(ctx context.Context, verifier Verifier, name string) (exchange.Principal, error) {
	if finder, ok := verifier.(principalFinder); ok {
		return finder.FindPrincipal(ctx, name)
	}
	return exchange.Principal{}, errors.New("the principals of an issuer are known by their access tokens only: use one at the URL of the route")
}

// Challenge returns the header WWW-Authenticate for a request that is refused (RFC 6750,
// section 3). It names the scopes that the guard requires or offers, or, if the principal
// lacks scopes, those that are needed and those that the token has: some clients ask for the
// named scopes only.
func (g *BearerGuard) Challenge(refusal error, metadata string) string {
	var challenge challenge
	scopes := g.named()
	var lacking *exchange.ScopeError
	switch {
	case errors.As(refusal, &lacking):
		challenge.add("error", "insufficient_scope")
		challenge.describe(lacking.Error())
		scopes = askedScopes(lacking)
	case !errors.Is(refusal, errNoToken):
		challenge.add("error", "invalid_token")
		if refused, ok := errors.AsType[*exchange.Error](refusal); ok {
			if reason, ok := strings.CutPrefix(refused.Message, unauthorized); ok {
				challenge.describe(reason)
			}
		}
	}
	if len(scopes) > 0 {
		challenge.add("scope", strings.Join(scopes, " "))
	}
	challenge.add("resource_metadata", metadata)
	return challenge.String()
}

// askedScopes returns the scopes that a client should ask for, each once. Those that the
// token has are limited, since a token may have thousands. The scope offline_access is not
// among them (specification: Scope Selection Strategy), and neither are texts that aren't
// scopes, such as roles with spaces.
func askedScopes(lacking *exchange.ScopeError) (asked []string) {
	for _, scope := range lacking.Needed {
		if !slices.Contains(asked, scope) {
			asked = append(asked, scope)
		}
	}
	size := 0
	for _, scope := range lacking.Granted {
		if scope == offlineAccess || checkScopes([]string{scope}) != nil || slices.Contains(asked, scope) {
			continue
		}
		if size += len(scope) + 1; size > limits.MaxChallengeScopes {
			break
		}
		asked = append(asked, scope)
	}
	return asked
}

// Metadata returns the issuers and scopes of the guard.
func (g *BearerGuard) Metadata() (exchange.ResourceMetadata, error) {
	if protected.IsNil(g.verifier) {
		return exchange.ResourceMetadata{}, errors.New("auth.Bearer has no verifier; give it one, such as auth.JWT(…)")
	}
	issuers, err := g.verifier.Issuers()
	m := exchange.ResourceMetadata{AuthorizationServers: issuers, ScopesSupported: g.named(), BearerMethods: []string{"header"}}
	if issuer, ok := g.verifier.(interface{ IssuableScopes() []string }); ok {
		m.IssuableScopes = issuer.IssuableScopes()
	}
	return m, errors.Join(err, checkRequired(m.ScopesSupported), checkIssuable(m))
}

// checkIssuable returns an error for a scope that no token can have.
func checkIssuable(m exchange.ResourceMetadata) error {
	for _, scope := range m.ScopesSupported {
		if m.IssuableScopes != nil && !slices.Contains(m.IssuableScopes, scope) {
			return fmt.Errorf("the authorization server can't issue the scope %q; add it to Config.Scopes of the server, with what it allows", scope)
		}
	}
	return nil
}

// A challenge is a challenge of the scheme Bearer (RFC 9110, section 11.6.1).
type challenge struct{ strings.Builder }

// describe adds the description of the error. A long one is cut.
func (c *challenge) describe(text string) {
	c.add("error_description", text[:min(len(text), limits.MaxDescription)])
}

// add adds a parameter. A quote, a backslash and a control character can't be in it.
func (c *challenge) add(name, value string) {
	if c.Len() == 0 {
		c.WriteString("Bearer ")
	} else {
		c.WriteString(", ")
	}
	c.WriteString(name + `="`)
	for _, b := range []byte(value) {
		switch {
		case b == '"':
			c.WriteByte('\'')
		case b >= 0x20 && b < 0x7f && b != '\\':
			c.WriteByte(b)
		}
	}
	c.WriteByte('"')
}
