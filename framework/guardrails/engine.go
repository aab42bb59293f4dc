package guardrails

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
)

// A Work is what the engine does for an [Operation]. Programs have no use for it.
type Work interface {
	Do(ctx context.Context) error // runs the handler, and keeps its result
	Argument(name string) []byte  // raw JSON, nil if there is none
	IsError() bool
	Size() int
}

// NewOperation returns an operation that is done by the work. It is for the engine.
func NewOperation(work Work, kind Kind, server, name string, request *exchange.Request) Operation {
	return Operation{Kind: kind, Server: server, Name: name, Request: request, work: work}
}

// Check returns what is wrong with guardrails around operations of those kinds, of all
// kinds if none is given. It is for the engine.
func Check(list []Guardrail, there ...Kind) error {
	kinds := setOf(there...)
	if there == nil {
		kinds = all
	}
	var problems []error
	for i := range list {
		if err := list[i].check(kinds); err != nil {
			problems = append(problems, fmt.Errorf("guardrail %d: %w", i+1, err))
		}
	}
	return errors.Join(problems...)
}

// A Stack is what stands around one thing for operations of one kind, put together. It
// is for the engine.
type Stack struct {
	Next    Next                           // nil if nothing happens around an operation
	Timeout time.Duration                  // the shortest; 0 if there is none
	Allowed func(ctx context.Context) bool // nil: everyone
}

// Compose puts guardrails together, the first outermost. It is for the engine.
func Compose(list []Guardrail, kind Kind, name string) Stack {
	var stack Stack
	for i := len(list) - 1; i >= 0; i-- {
		g := &list[i]
		if !g.kinds.has(kind) {
			continue
		}
		if g.timeout > 0 && (stack.Timeout == 0 || g.timeout < stack.Timeout) {
			stack.Timeout = g.timeout
		}
		if g.allowed != nil {
			stack.Allowed = both(g.allowed, name, stack.Allowed)
		}
		if g.handle != nil {
			stack.Next = around(g.handle, stack.Next)
		}
	}
	return stack
}

func around(handle func(context.Context, *Operation, Next) error, inner Next) Next {
	if inner == nil {
		inner = perform
	}
	return func(ctx context.Context, operation *Operation) error { return handle(ctx, operation, inner) }
}

func both(allowed func(context.Context, string) bool, name string, others func(context.Context) bool) func(context.Context) bool {
	return func(ctx context.Context) bool { return allowed(ctx, name) && (others == nil || others(ctx)) }
}

// Run does an operation. Without an error, its work has been done. It is for the
// engine.
func (next Next) Run(ctx context.Context, operation *Operation) error {
	defer operation.end()
	if err := next(ctx, operation); err != nil {
		return err
	}
	if !operation.close() {
		return errors.New("a guardrail returned nil, but next was not called or had failed; return an error then")
	}
	return nil
}

// end keeps who has kept the operation from what the client sent.
func (o *Operation) end() {
	o.lock.Lock()
	defer o.lock.Unlock()
	o.over, o.ended = true, true
}

// close keeps next from being called again, once whoever is in next has returned. It reports whether
// there is a result.
func (o *Operation) close() bool {
	o.lock.Lock()
	defer o.lock.Unlock()
	o.over = true
	return o.done
}
