// Package guardrails provides guardrails: functions that run around the operations of a
// server. An operation is a call of a tool, a read of a resource, a get of a prompt, a
// list or a completion. Guardrails run on every transport and for clients of every
// version.
//
// A server's guardrails run around all its operations. A tool, a resource or a prompt may
// have guardrails of its own. The first guardrail of a list is the outermost. A server's
// guardrails run outside a tool's:
//
//	func (s *ShopServer) Guardrails() []guardrails.Guardrail {
//		return []guardrails.Guardrail{
//			guardrails.Audit(s.Logger),
//			guardrails.RateLimit(100, time.Minute),
//			guardrails.Timeout(10 * time.Second),
//		}
//	}
//
// [Func] makes a guardrail from a function:
//
//	func openingHours(ctx context.Context, operation *guardrails.Operation, next guardrails.Next) error {
//		if hour := time.Now().Hour(); hour < 9 || hour >= 17 {
//			return guardrails.Errorf("The shop is closed. Try again after 9.")
//		}
//		return next(ctx, operation)
//	}
//
// The chain is built when a tool, a resource or a prompt is registered, so guardrails for
// other kinds of operations cost nothing. HTTP middleware runs before the message is
// read; see Route.Use and Route.Throttle of package mcp. Methods added by AddMethod have
// no guardrails.
package guardrails
