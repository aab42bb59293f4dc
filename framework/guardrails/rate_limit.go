package guardrails

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
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
	g := Guardrail{name: fmt.Sprintf("RateLimit(%d, %v)", n, per), able: all, kinds: all, problem: err}
	g.handle = func(ctx context.Context, operation *Operation, next Next) error {
		key := throttle.KeyOf(exchange.PrincipalFrom(ctx).ID, operation.Request.Address())
		if wait := limiter.Take(key); wait > 0 {
			text := fmt.Sprintf("Too many requests: try again in %.0f s", wait.Seconds())
			return &RefusalError{err: errors.New(text), wait: wait}
		}
		return next(ctx, operation)
	}
	return g
}
