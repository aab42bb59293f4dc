package guardrails

import (
	"context"
	"errors"
)

// Permission shows tools, resources and prompts only to those for whom allowed returns
// true. For others they don't exist: lists leave them out, and a call is answered as
// one of an unknown name. Who asks is exchange.PrincipalFrom(ctx); the name is that of
// the tool or prompt, or the URI of the resource or template. On(Call) is for tools
// only, On(Read) for resources, On(Get) for prompts.
//
// It is asked before all that stands around an operation, several times a request,
// also for each item of a list: it should be fast. A list may differ by who asks, but
// not by what was asked before (specification: Caching).
func Permission(allowed func(ctx context.Context, name string) bool) Guardrail {
	kinds := setOf(Call, Read, Get)
	g := Guardrail{name: "Permission", able: kinds, kinds: kinds, allowed: allowed}
	if allowed == nil {
		g.problem = errors.New("it has no function to ask; give it one")
	}
	return g
}
