// Package guardrails provides guardrails, which are to tools, resources and prompts what
// middleware is to HTTP requests. A guardrail runs around each call of a tool, read of a
// resource, get of a prompt, list and completion, over every transport and for clients of
// every version.
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
// The chain is built when a tool, a resource or a prompt is registered, so guardrails
// for other kinds of operations cost nothing. For net/http middleware, which runs before
// the message is read, see Route.Use and Route.Throttle of package mcp.
package guardrails
