// Package chain composes the guardrails around an operation. Package framework/guardrails
// defines its public types with the types of this package. The type parameter O stands for
// guardrails.Operation.
package chain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A Next calls the next guardrail, or the handler.
type Next[O any] = func(ctx context.Context, operation *O) error

// A Guardrail wraps operations.
type Guardrail[O any] struct {
	Name    string // shown in messages, such as "Timeout(1s)"
	Able    Kinds  // the kinds of operations that it can wrap
	Kinds   Kinds  // the kinds of operations that it wraps
	Handle  func(ctx context.Context, operation *O, next Next[O]) error
	Timeout time.Duration
	Allowed func(ctx context.Context, name string) bool
	Problem error // a mistake in its arguments, which prevents the program from starting

	// Scopes returns the scopes that an operation needs, and Lacks an error if the principal
	// lacks one of them. Both are nil unless the guardrail checks scopes. It has no Handle.
	Scopes func(ctx context.Context, operation *O) ([]string, error)
	Lacks  func(ctx context.Context, needed []string) error

	// Always are the scopes that every operation needs, as far as they are known before.
	Always []string
}

// Check returns an error for each guardrail that is invalid, or that wraps none of the
// available kinds there.
func Check[O any](list []Guardrail[O], there Kinds) error {
	var problems []error
	for i := range list {
		if err := list[i].check(there); err != nil {
			problems = append(problems, fmt.Errorf("guardrail %d: %w", i+1, err))
		}
	}
	return errors.Join(problems...)
}

func (g *Guardrail[O]) check(there Kinds) error {
	switch {
	case g.Able == 0:
		return errors.New("it is empty; make it with a function of package guardrails")
	case g.Problem != nil:
		return fmt.Errorf("%s: %w", g.Name, g.Problem)
	case g.Kinds&there == 0:
		return fmt.Errorf("%s: it runs only around %s, but the operations here are: %s", g.Name, g.Kinds, there)
	}
	return nil
}

// A Chain is the composition of the guardrails of one tool, resource or prompt, for one
// kind of operation.
type Chain[O any] struct {
	Timeout time.Duration                  // the shortest one; 0 if there is none
	Allowed func(ctx context.Context) bool // nil allows everyone

	handles []func(ctx context.Context, operation *O, next Next[O]) error
	scopes  []func(ctx context.Context, operation *O) ([]string, error) // the scopes of all guardrails, the last one first
}

// New composes guardrails, the first outermost. Name is the name of the tool, resource or
// prompt.
func New[O any](list []Guardrail[O], kind Kinds, name string) *Chain[O] {
	chain := &Chain[O]{}
	for i := len(list) - 1; i >= 0; i-- {
		g := &list[i]
		if g.Kinds&kind == 0 {
			continue
		}
		if g.Timeout > 0 && (chain.Timeout == 0 || g.Timeout < chain.Timeout) {
			chain.Timeout = g.Timeout
		}
		if g.Allowed != nil {
			others := chain.Allowed
			chain.Allowed = func(ctx context.Context) bool { return g.Allowed(ctx, name) && (others == nil || others(ctx)) }
		}
		if g.Scopes != nil {
			chain.scopes = append(chain.scopes, g.Scopes)
			chain.handles = append(chain.handles, chain.requiring(g))
		}
		if g.Handle != nil {
			chain.handles = append(chain.handles, g.Handle)
		}
	}
	return chain
}

// requiring returns the Handle function of a guardrail that checks scopes. Its error names
// the scopes of all guardrails, so that a client asks for them at once.
func (c *Chain[O]) requiring(g *Guardrail[O]) func(ctx context.Context, operation *O, next Next[O]) error {
	return func(ctx context.Context, operation *O, next Next[O]) error {
		needed, err := g.Scopes(ctx, operation)
		if err != nil {
			return err
		}
		if g.Lacks(ctx, needed) == nil {
			return next(ctx, operation)
		}
		return g.Lacks(ctx, c.allScopes(ctx, operation))
	}
}

// allScopes returns the scopes that all guardrails need, each once. A guardrail that can't
// say it at the moment does so when the client tries again.
func (c *Chain[O]) allScopes(ctx context.Context, operation *O) (all []string) {
	for _, scopes := range slices.Backward(c.scopes) {
		needed, _ := scopes(ctx, operation)
		for _, scope := range needed {
			if !slices.Contains(all, scope) {
				all = append(all, scope)
			}
		}
	}
	return all
}

// Empty reports whether no guardrail has a Handle function.
func (c *Chain[O]) Empty() bool { return len(c.handles) == 0 }

// Run runs an operation: all Handle functions around handle.
func (c *Chain[O]) Run(ctx context.Context, operation *O, handle Next[O]) error {
	next := handle
	for _, around := range c.handles {
		inner := next
		next = func(ctx context.Context, operation *O) error { return around(ctx, operation, inner) }
	}
	return next(ctx, operation)
}

// Kinds is a set of kinds of operations, with one bit for each.
type Kinds uint8

// The kinds of operations.
const (
	Call Kinds = 1 << iota
	Read
	Get
	List
	Complete
	Method

	All = Call | Read | Get | List | Complete | Method
)

// String returns the names of the kinds.
func (k Kinds) String() string {
	var names []string
	for i, name := range []string{"call", "read", "get", "list", "complete", "method"} {
		if k&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}
