package auth

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/internal/engine/chain"
	"github.com/bowline-mcp/bowline/internal/engine/seam"
)

// Require returns a guardrail for tools, resources, prompts and methods of extensions that need
// scopes. They stay in the lists. If the principal lacks a scope, a client over HTTP gets the status 403 with
// a challenge, on which it asks the user for the scopes and tries again (specification:
// Scope Challenge Handling). Where the status can't be sent, in a batch or once the answer
// streams, and on other transports, the client gets the JSON-RPC error alone.
//
// A local principal, such as the client of a server on stdio, has every scope. A web route
// without a guard can't serve what needs scopes, and neither can one whose authorization
// server, that of the program, doesn't have them, so the program doesn't start. To hide a
// tool from callers instead, use guardrails.Permission; one tool can't have both.
//
// A client without the scopes may still subscribe to a resource. The notification of a
// change has only the URI, which is in the list.
func Require(scopes ...string) guardrails.Guardrail {
	g := scopeGuardrail(fmt.Sprintf("Require(%q)", strings.Join(scopes, " ")), func(context.Context, *guardrails.Operation) ([]string, error) { return scopes, nil })
	g.Always = scopes
	g.Problem = checkRequired(scopes)
	if len(scopes) == 0 {
		g.Problem = errors.New("it has no scope to require; give it one, such as \"files:write\"")
	}
	return guardrails.Guardrail(seam.Of(g))
}

// RequireFunc is like [Require], with scopes that depend on the operation, such as on an
// argument. The function returns all scopes that the operation needs, so that a client asks
// the user once; none means that it needs no scope. The arguments aren't validated yet; see
// guardrails.Operation.Argument. An error of the function is the error of the operation.
func RequireFunc(scopes func(ctx context.Context, operation *guardrails.Operation) ([]string, error)) guardrails.Guardrail {
	g := scopeGuardrail("RequireFunc", scopes)
	if scopes == nil {
		g.Problem = errors.New("it has no function to call; give it one")
	}
	return guardrails.Guardrail(seam.Of(g))
}

func scopeGuardrail(name string, scopes func(context.Context, *guardrails.Operation) ([]string, error)) chain.Guardrail[guardrails.Operation] {
	const able = chain.All &^ chain.List
	g := chain.Guardrail[guardrails.Operation]{Name: name, Able: able, Kinds: able, Lacks: check}
	g.Scopes = func(ctx context.Context, operation *guardrails.Operation) ([]string, error) {
		needed, err := scopes(ctx, operation)
		if err == nil {
			err = checkScopes(needed)
		}
		return needed, err
	}
	return g
}

// check returns an error if the principal lacks scopes, or if it is anonymous.
func check(ctx context.Context, needed []string) error {
	principal := exchange.PrincipalFrom(ctx)
	if principal.Can(needed...) {
		return nil
	}
	if principal.ID == "" {
		return exchange.ErrUnauthorized
	}
	return &exchange.ScopeError{Needed: slices.Clone(needed), Granted: slices.Clone(principal.Scopes)}
}

// offlineAccess is the scope by which clients ask for a refresh token.
const offlineAccess = "offline_access"

// checkRequired returns the mistakes in scopes that a route or an operation needs.
func checkRequired(scopes []string) error {
	for i, scope := range scopes {
		switch {
		case slices.Contains(scopes[:i], scope):
			return fmt.Errorf("the scope %q is there twice; remove one", scope)
		case scope == offlineAccess:
			return fmt.Errorf("the scope %q is no right, but asks for a refresh token; remove it, since clients decide about it", scope)
		}
	}
	return checkScopes(scopes)
}

// checkScopes returns an error for scopes that a header can't carry (RFC 6749, section 3.3).
func checkScopes(scopes []string) error {
	for _, scope := range scopes {
		if scope == "" || strings.ContainsFunc(scope, func(c rune) bool { return c < 0x21 || c > 0x7e || c == '"' || c == '\\' }) {
			return fmt.Errorf("the scope %q must be one word of printable ASCII characters without quotes and backslashes; give several scopes as several arguments", scope)
		}
	}
	return nil
}
