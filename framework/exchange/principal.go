package exchange

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/requestlog"
)

// A Principal is the authenticated caller of a request. The zero value is the anonymous
// principal, which all unauthenticated requests share.
type Principal struct {
	// ID identifies the principal. State that is kept for a client between requests is
	// bound to it. Package auth makes it from Issuer and Subject, so that it stays the
	// same when a client refreshes its token or gets more scopes.
	ID string

	// Subject is the user or service, as the issuer names it (claim sub). Client is the
	// OAuth client that it uses (claim client_id).
	Subject string
	Client  string

	// Issuer is the authorization server that issued the token, as a URL. It is "" for
	// principals without one, such as the owners of static tokens.
	Issuer string

	// Scopes are what the principal may do. Use [Principal.Can] to check them.
	Scopes []string

	// Expires is when the token ends. Streams of the principal end with it. The zero value
	// means never.
	Expires time.Time

	// Claims hold further facts about the principal by name, such as the claims of a
	// token. Nil means none. They must not be modified.
	Claims map[string]any

	// Local means that the caller is the user who started the program, such as a client on
	// stdio. No scope limits a local principal.
	Local bool
}

// Can reports whether the principal has all of the scopes. A local principal has every
// scope.
func (p Principal) Can(scopes ...string) bool {
	if p.Local {
		return true
	}
	for _, scope := range scopes {
		if !slices.Contains(p.Scopes, scope) {
			return false
		}
	}
	return true
}

// principalContext carries a principal. It saves an allocation over context.WithValue.
type principalContext struct {
	context.Context
	principal Principal
}

// Value returns the principal, or a value of the parent.
func (c *principalContext) Value(key any) any {
	if key == (request.PrincipalKey{}) {
		return &c.principal
	}
	value := c.Context.Value(key)
	if key == (requestlog.Key{}) && value == nil {
		return c
	}
	return value
}

// LogAttrs returns the principal, for a request that isn't a call.
func (c *principalContext) LogAttrs() [requestlog.MaxAttrs]slog.Attr {
	return [requestlog.MaxAttrs]slog.Attr{slog.String("principal", c.principal.ID)}
}

// WithPrincipal returns a context that carries a principal. HTTP middleware that
// authenticates requests calls it.
func WithPrincipal(ctx context.Context, principal Principal) context.Context {
	return &principalContext{ctx, principal}
}

// PrincipalFrom returns the principal that a context carries, such as the context of
// VisibleTo. It returns the anonymous principal if there is none.
func PrincipalFrom(ctx context.Context) Principal {
	if principal, ok := ctx.Value(request.PrincipalKey{}).(*Principal); ok {
		return *principal
	}
	return Principal{}
}

// Principal returns the caller of the request.
func (r *Request) Principal() Principal { return PrincipalFrom(r.call().Context()) }

// A ScopeError is the error of an operation for which the principal lacks scopes. Over
// HTTP the client gets the status 403 with a challenge, on which it asks the user for more
// scopes and tries again (specification: Scope Challenge Handling). It wraps [ErrForbidden].
type ScopeError struct {
	Needed  []string // all scopes that the operation needs
	Granted []string // the scopes of the principal
}

// Error returns a text with both lists of scopes.
func (e *ScopeError) Error() string {
	return fmt.Sprintf("Insufficient scope: the operation needs %s; the token has %s", scopeList(e.Needed), scopeList(e.Granted))
}

func scopeList(scopes []string) string {
	if len(scopes) == 0 {
		return "no scope"
	}
	return strings.Join(scopes, " ")
}

// Unwrap returns ErrForbidden.
func (e *ScopeError) Unwrap() error { return ErrForbidden }

// ResourceMetadata describes a route that needs an access token: OAuth 2.0 Protected
// Resource Metadata (RFC 9728). Clients read it to find the authorization server.
type ResourceMetadata struct {
	Resource              string   `json:"resource"`                        // the URL of the route
	AuthorizationServers  []string `json:"authorization_servers,omitempty"` // URLs; "" is the program's
	ScopesSupported       []string `json:"scopes_supported,omitempty"`
	BearerMethods         []string `json:"bearer_methods_supported,omitempty"`
	ResourceName          string   `json:"resource_name,omitempty"`
	ResourceDocumentation string   `json:"resource_documentation,omitempty"`

	// IssuableScopes are all scopes that tokens can have, or nil if the program doesn't know.
	// What needs another one keeps the program from starting. It isn't a part of the document.
	IssuableScopes []string `json:"-"`
}
