package guardrails

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/chain"
	"github.com/bowline-mcp/bowline/internal/engine/seam"
)

// A Guardrail runs around operations of a server. The functions of this package make
// guardrails; [Func] makes one from a function of yours. One value may guard several
// tools, resources and prompts, and handles operations concurrently.
type Guardrail seam.Cell[chain.Guardrail[Operation]]

// Next continues an operation with the next guardrail, or with the handler. It returns
// the handler's error unchanged. A guardrail may call it at most once, and must not
// return before Next has returned.
type Next func(ctx context.Context, operation *Operation) error

// guardrail returns the guardrail, enabled for every kind that it supports.
func guardrail(inner chain.Guardrail[Operation]) Guardrail {
	inner.Kinds = inner.Able
	return Guardrail(seam.Of(inner))
}

// Func makes a guardrail from a function, for operations of all kinds. When fn runs, the
// arguments aren't validated yet. Next validates them and runs the handler.
//
// The error of fn decides the answer, as if the handler had returned it. Return the error
// of next or an error of your own; make that with [Errorf] if the client should read it.
// If the handler asks the client first, next returns exchange.ErrInputRequired, which is
// not a failure.
func Func(fn func(ctx context.Context, operation *Operation, next Next) error) Guardrail {
	if fn == nil {
		return guardrail(chain.Guardrail[Operation]{Name: "Func", Able: chain.All, Problem: errors.New("it has no function to call; give it one")})
	}
	return guardrail(chain.Guardrail[Operation]{Name: "Func", Able: chain.All, Handle: func(ctx context.Context, operation *Operation, next chain.Next[Operation]) error {
		return fn(ctx, operation, next)
	}})
}

// On returns a copy that runs only around operations of these kinds.
func (g Guardrail) On(kinds ...Kind) Guardrail {
	inner := (*seam.Cell[chain.Guardrail[Operation]])(&g).Get()
	inner.Kinds = 0
	for _, kind := range kinds {
		inner.Kinds |= chain.Kinds(1) << kind
	}
	if wrong := inner.Kinds &^ inner.Able; len(kinds) == 0 || wrong != 0 {
		inner.Problem = errors.Join(inner.Problem, fmt.Errorf("On must name one or more of: %s", inner.Able))
	}
	return g
}

// Permission shows tools, resources, prompts and methods only to callers for whom allowed
// returns true. For other callers they don't exist: lists omit them, and a call is answered like
// a call of an unknown name. The function allowed gets the caller from
// exchange.PrincipalFrom(ctx). The name is the name of the tool, prompt or method, or the
// URI of the resource or template. On(Call) limits Permission to tools, On(Read) to resources,
// On(Get) to prompts.
//
// The engine calls allowed before it runs any other guardrail, several times per request
// and once per item of a list, so it should be fast. A list may depend on the caller, but
// not on earlier requests (specification: Caching).
func Permission(allowed func(ctx context.Context, name string) bool) Guardrail {
	inner := chain.Guardrail[Operation]{Name: "Permission", Able: chain.Call | chain.Read | chain.Get | chain.Method, Allowed: allowed}
	if allowed == nil {
		inner.Problem = errors.New("it has no function to call; give it one")
	}
	return guardrail(inner)
}

// A RefusalError is an error whose text the client reads, whatever the kind of operation.
// For a tool it becomes a result with isError set, which the model reads; otherwise it
// becomes a JSON-RPC error with the code -32603.
type RefusalError struct {
	err  error
	wait time.Duration
}

// Errorf returns an error whose text the client reads. It formats like [fmt.Errorf],
// including %w.
func Errorf(format string, args ...any) error {
	return &RefusalError{err: fmt.Errorf(format, args...)}
}

// Error returns the text.
func (e *RefusalError) Error() string { return e.err.Error() }

// Unwrap returns the error that %w wrapped, if any.
func (e *RefusalError) Unwrap() error { return e.err }

// Outcome returns exchange.OutcomeRefused.
func (*RefusalError) Outcome() exchange.Outcome { return exchange.OutcomeRefused }

// RetryAfter returns how long the client should wait before it tries again, or 0 if
// waiting makes no difference. The data of the JSON-RPC error has it as the member
// retryAfter, in seconds.
func (e *RefusalError) RetryAfter() time.Duration { return e.wait }
