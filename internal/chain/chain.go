// Package chain composes the guardrails around an operation. Package
// framework/guardrails defines its public types over it; O is its Operation.
package chain

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// A Next goes on with an operation: to the next guardrail, or to the handler.
type Next[O any] = func(ctx context.Context, operation *O) error

// A Guardrail stands around operations.
type Guardrail[O any] struct {
	Name    string // for messages, such as "Timeout(1s)"
	Able    Kinds  // what it can stand around
	Kinds   Kinds  // what it does stand around
	Handle  func(ctx context.Context, operation *O, next Next[O]) error
	Timeout time.Duration
	Allowed func(ctx context.Context, name string) bool
	Problem error // that the program doesn't start with
}

// Check returns what is wrong with guardrails around operations of those kinds.
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
		return fmt.Errorf("%s: it is on %s, but here is only: %s", g.Name, g.Kinds, there)
	}
	return nil
}

// A Chain is what stands around one thing for operations of one kind.
type Chain[O any] struct {
	Timeout time.Duration                  // the shortest; 0 if there is none
	Allowed func(ctx context.Context) bool // nil: everyone

	handles []func(ctx context.Context, operation *O, next Next[O]) error
}

// New puts guardrails together, the first outermost, for the thing of a name.
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
			chain.Allowed = both(g.Allowed, name, chain.Allowed)
		}
		if g.Handle != nil {
			chain.handles = append(chain.handles, g.Handle)
		}
	}
	return chain
}

func both(allowed func(context.Context, string) bool, name string, others func(context.Context) bool) func(context.Context) bool {
	return func(ctx context.Context) bool { return allowed(ctx, name) && (others == nil || others(ctx)) }
}

// Empty reports whether nothing happens around an operation when it runs.
func (c *Chain[O]) Empty() bool { return len(c.handles) == 0 }

// Run does an operation, of which handle is the innermost part.
func (c *Chain[O]) Run(ctx context.Context, operation *O, handle Next[O]) error {
	next := handle
	for _, around := range c.handles {
		inner := next
		next = func(ctx context.Context, operation *O) error { return around(ctx, operation, inner) }
	}
	return next(ctx, operation)
}

// Kinds is a set of kinds of operations, a bit each.
type Kinds uint8

// The kinds.
const (
	Call Kinds = 1 << iota
	Read
	Get
	List
	Complete

	All = Call | Read | Get | List | Complete
)

// String lists the kinds for a message.
func (k Kinds) String() string {
	var names []string
	for i, name := range []string{"call", "read", "get", "list", "complete"} {
		if k&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}
