// Package scopes has the scopes of the example, for the conformance suite's scenario of scope
// challenges.
package scopes

import (
	"context"
	"net/http"

	"github.com/bowline-mcp/bowline/framework/auth"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/guardrails"
)

// The scopes. The token mcp-conformance-scope-low has the first, and
// mcp-conformance-scope-full has both.
const (
	read  = "conformance:read"
	write = "conformance:write"
)

// Guard returns a guard that lets requests without a token through, and checks the others.
func Guard() *Optional {
	return &Optional{auth.Bearer(auth.Static(
		"low 1e9ec03e3ba712ca10efd10f92d9112d253042ddc04b216f6b9a0074092475cc "+read,
		"full 34a7af8089fdcf1c24a0a6c70f319416538ee4fb89fcc23d91cd100986fc79df "+read+" "+write,
	))}
}

// Optional is a guard for clients with a token and without one.
type Optional struct{ *auth.BearerGuard }

// Authenticate returns the anonymous principal for a request without a token.
func (g *Optional) Authenticate(r *http.Request, resource string) (exchange.Principal, error) {
	if len(r.Header["Authorization"]) == 0 {
		return exchange.Principal{}, nil
	}
	return g.BearerGuard.Authenticate(r, resource)
}

// Required returns a guardrail that requires both scopes of clients with a token.
func Required() guardrails.Guardrail {
	return auth.RequireFunc(func(_ context.Context, operation *guardrails.Operation) ([]string, error) {
		if operation.Request.Principal().ID == "" {
			return nil, nil
		}
		return []string{read, write}, nil
	})
}
