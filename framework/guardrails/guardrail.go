package guardrails

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// A Guardrail stands around operations of a server. Make one with a function of this
// package; [Func] makes one of your own. One value may stand around several things,
// and serves operations at the same time.
type Guardrail struct {
	name    string // for messages, such as "Timeout(1s)"
	able    kinds  // what it can stand around
	kinds   kinds  // what it does stand around
	handle  func(context.Context, *Operation, Next) error
	timeout time.Duration
	allowed func(ctx context.Context, name string) bool
	problem error
}

// Next goes on with an operation: to the next guardrail, or to the handler itself. The
// error is what the handler returned, as it is. It may be called once, and has to
// return before the guardrail does.
type Next func(ctx context.Context, operation *Operation) error

// Func makes a guardrail of a function, around operations of all kinds. What fn does
// before next comes before the handler, with the arguments not checked yet; what it
// does after, comes after it.
//
// What fn returns decides the answer, as if the handler had returned it: return the
// error of next, or one of your own, for a client to read by [Errorf]. A client that is
// asked something first is such an error too (exchange.ErrInputRequired), but no
// failure.
func Func(fn func(ctx context.Context, operation *Operation, next Next) error) Guardrail {
	g := Guardrail{name: "Func", able: all, kinds: all, handle: fn}
	if fn == nil {
		g.problem = errors.New("it has no function to call; give it one")
	}
	return g
}

// On returns a copy that stands around operations of those kinds only.
func (g Guardrail) On(kinds ...Kind) Guardrail {
	g.kinds = setOf(kinds...)
	if wrong := g.kinds &^ g.able; len(kinds) == 0 || wrong != 0 {
		g.problem = errors.Join(g.problem, fmt.Errorf("On must name one or several of: %s", g.able))
	}
	return g
}

// check returns what is wrong with the guardrail, where those kinds of operations are.
func (g *Guardrail) check(there kinds) error {
	switch {
	case g.able == 0:
		return errors.New("it is empty; make it with a function of package guardrails")
	case g.problem != nil:
		return fmt.Errorf("%s: %w", g.name, g.problem)
	case g.kinds&there == 0:
		return fmt.Errorf("%s: it is on %s, but here is only: %s", g.name, g.kinds, there)
	}
	return nil
}
