package exchange

import "context"

// A Principal is who a request is made for, as a guard has found out. The zero value
// is anonymous: all requests that no guard has looked at are one principal.
type Principal struct {
	// ID tells principals apart: the subject of a token, say. What is kept for a
	// client between requests is bound to it.
	ID string

	// Claims are what the guard knows of the principal beyond its ID, such as the claims
	// of a token, by their names; nil if there are none. Nobody may change them.
	Claims map[string]any
}

type principalKey struct{}

// WithPrincipal returns a context for requests of a principal. HTTP middleware that
// authenticates calls it.
func WithPrincipal(ctx context.Context, principal Principal) context.Context {
	return context.WithValue(ctx, principalKey{}, principal)
}

// PrincipalFrom returns the principal of a context, such as that of VisibleTo; the
// anonymous one if nobody set any.
func PrincipalFrom(ctx context.Context) Principal {
	principal, _ := ctx.Value(principalKey{}).(Principal)
	return principal
}

// Principal returns who the request is made for.
func (r *Request) Principal() Principal { return PrincipalFrom(r.call().Context()) }
