package server

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/internal/engine/chain"
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
	var always []string
	for _, g := range opened(slices.Concat(s.guardrails, own)) {
		if g.Kinds&kinds != 0 {
			hides = hides || g.Allowed != nil
			if g.Scopes != nil {
				needs, always = g.Name, append(always, g.Always...)
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
	for _, scope := range always {
		if s.required[scope] == "" {
			s.required[scope] = what
		}
		for _, route := range slices.Sorted(maps.Keys(s.issuable)) {
			problems = append(problems, issuable(what, scope, route, s.issuable[route]))
		}
	}
	return errors.Join(problems...)
}

// CheckIssuable returns an error if what the server has needs a scope that the tokens of a
// guarded route can't have. Nil means that their scopes aren't known.
func (s *Server) CheckIssuable(route string, scopes []string) error {
	if scopes == nil {
		return nil
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	s.issuable[route] = scopes
	var problems []error
	for _, scope := range slices.Sorted(maps.Keys(s.required)) {
		problems = append(problems, issuable(s.required[scope], scope, route, scopes))
	}
	return errors.Join(problems...)
}

// issuable returns an error unless a scope that something needs is one that tokens can have.
func issuable(what, scope, route string, scopes []string) error {
	if slices.Contains(scopes, scope) {
		return nil
	}
	return fmt.Errorf("%s needs the scope %q, but the authorization server of the route %s can't issue it; add it to Config.Scopes of the server, with what it allows", what, scope, route)
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
