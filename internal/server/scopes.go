package server

import (
	"errors"
	"fmt"
	"slices"

	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/internal/chain"
)

// checkOwn checks the guardrails that an item has, and whether its scopes can be checked.
func (s *Server) checkOwn(what string, own []guardrails.Guardrail, kinds chain.Kinds) error {
	return errors.Join(checkGuardrails(own, kinds), s.checkScopes(what, own, kinds))
}

// checkScopes checks an item that needs scopes. It refuses a permission beside them, which
// would hide the item, so that no client asks for the scopes.
func (s *Server) checkScopes(what string, own []guardrails.Guardrail, kinds chain.Kinds) error {
	hides := false
	needs := ""
	for _, g := range opened(slices.Concat(s.guardrails, own)) {
		if g.Kinds&kinds != 0 {
			hides = hides || g.Allowed != nil
			if g.Scopes != nil {
				needs = g.Name
			}
		}
	}
	if needs == "" {
		return nil
	}
	var problems []error
	if hides {
		problems = append(problems, fmt.Errorf("it has %s, by which clients ask for scopes, and a Permission, which hides it from them; take one of them out", needs))
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.scoped == "" {
		s.scoped = what + " has " + needs
	}
	if s.unguarded != "" {
		problems = append(problems, unguarded(what+" has "+needs, s.unguarded))
	}
	return errors.Join(problems...)
}

// CheckUnguarded returns an error if the server needs guards, since a web route without any
// serves it.
func (s *Server) CheckUnguarded(route string) error {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.scoped != "" {
		return unguarded(s.scoped, route)
	}
	s.unguarded = route
	return nil
}

func unguarded(scoped, route string) error {
	return fmt.Errorf("%s, but the route %s has no guard, so nobody could have its scopes; add Route.Guard to the route, or serve what needs scopes by another server", scoped, route)
}
