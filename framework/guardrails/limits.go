package guardrails

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/chain"
	"github.com/bowline-mcp/bowline/internal/engine/throttle"
)

// RateLimit allows each client n operations per duration. The burst, n by default, is the
// number of operations that may arrive at once. Further operations are refused with an
// error that says when to try again.
//
// A client is identified by its principal, or by its address if it is anonymous (see
// exchange.Request.Address); of an IPv6 address, the first 64 bits count. Tools that
// share one guardrail value share its limit. The guardrail remembers 10 000 clients. In
// 2026-07-28 each round of a tool that asks the client is a request of its own, and
// counts.
//
// RateLimit runs after the message is read. To refuse requests earlier, with the HTTP
// status 429, use Route.Throttle of package mcp.
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

// ResponseLimit refuses results of calls, reads, gets and methods that have more bytes than the
// limit (see Operation.Size), since they would fill a model's context. The error names
// the limit and tells the client to ask for less. Messages that a tool sends before its
// result don't count.
func ResponseLimit(bytes int) Guardrail {
	inner := chain.Guardrail[Operation]{Name: fmt.Sprintf("ResponseLimit(%d)", bytes), Able: chain.Call | chain.Read | chain.Get | chain.Method}
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

// Timeout limits how long an operation takes. At the limit the handler's context ends and
// the client gets an error, even if the handler keeps running. Timeout applies to calls,
// reads, gets and completions. The shortest of several timeouts applies, including a
// tool's own. A timeout of less than a millisecond is refused, since it is most likely a
// number without its unit.
func Timeout(d time.Duration) Guardrail {
	inner := chain.Guardrail[Operation]{Name: fmt.Sprintf("Timeout(%v)", d), Able: chain.All &^ chain.List, Timeout: d}
	if d < time.Millisecond {
		inner.Problem = errors.New("the time must be a millisecond or more, such as 10*time.Second")
	}
	return guardrail(inner)
}
