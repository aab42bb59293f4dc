package guardrails

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/chain"
	"github.com/bowline-mcp/bowline/internal/throttle"
)

// RateLimit lets each client do n operations per duration. That many may come at once,
// unless a burst is given, which may be smaller or larger. What is more is refused,
// with the time after which it is worth to try again.
//
// A client is its principal, or the address that it calls from if it is anonymous (see
// exchange.Request.Address); of an IPv6 address, the first 64 bits count. A value has
// one count: at two tools, it counts the calls of both. 10 000 clients are remembered.
// A call that asks the client counts once a round in 2026-07-28, where each round is a
// request of its own; around one that asks, allow for that.
//
// It comes after the message was read. To refuse requests before, by the HTTP status
// 429, see Route.Throttle of package mcp.
func RateLimit(n int, per time.Duration, burst ...int) Guardrail {
	limiter, err := throttle.New(n, per, burst...)
	inner := chain.Guardrail[Operation]{Name: fmt.Sprintf("RateLimit(%d, %v)", n, per), Able: chain.All, Problem: err}
	inner.Handle = func(ctx context.Context, operation *Operation, next chain.Next[Operation]) error {
		key := throttle.KeyOf(exchange.PrincipalFrom(ctx).ID, operation.Request.Address())
		if wait := limiter.Take(key); wait > 0 {
			text := fmt.Sprintf("Too many requests: try again in %.0f s", wait.Seconds())
			return &RefusalError{err: errors.New(text), wait: wait}
		}
		return next(ctx, operation)
	}
	return guardrail(inner)
}

// ResponseLimit refuses results of calls, reads and gets that have more bytes (see
// Operation.Size), which would fill a model's context. The client is told what the
// limit is, and to ask for less. What a tool sends before its result doesn't count.
func ResponseLimit(bytes int) Guardrail {
	inner := chain.Guardrail[Operation]{Name: fmt.Sprintf("ResponseLimit(%d)", bytes), Able: chain.Call | chain.Read | chain.Get}
	if bytes < 1 {
		inner.Problem = errors.New("the limit must be more than 0 bytes, such as 64<<10")
	}
	inner.Handle = func(ctx context.Context, operation *Operation, next chain.Next[Operation]) error {
		if err := next(ctx, operation); err != nil {
			return err
		}
		if size := operation.Size(); size > bytes {
			return Errorf("The result has %d bytes, and at most %d may be sent. Ask for less: a part of it, or fewer items.", size, bytes)
		}
		return nil
	}
	return guardrail(inner)
}

// Timeout ends what takes longer: the context of the handler ends, and the client is
// told, even if the handler goes on. It holds for calls, reads, gets and completions.
// Of several times the shortest counts, that of a tool's own Timeout included. Less than
// a millisecond is refused: it is a number whose unit was forgotten.
func Timeout(d time.Duration) Guardrail {
	inner := chain.Guardrail[Operation]{Name: fmt.Sprintf("Timeout(%v)", d), Able: chain.All &^ chain.List, Timeout: d}
	if d < time.Millisecond {
		inner.Problem = errors.New("the time must be a millisecond or more, such as 10*time.Second")
	}
	return guardrail(inner)
}
