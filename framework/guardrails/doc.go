// Package guardrails has the middleware of tools, resources and prompts: what stands
// around calling a tool, reading a resource, getting a prompt, listing and completing,
// over every transport and for clients of every version.
//
// A server says what stands around all that it offers, and a tool, a resource or a
// prompt what stands around it besides. The first of a list is the outermost, and a
// server's are outside of a tool's:
//
//	func (s *ShopServer) Guardrails() []guardrails.Guardrail {
//		return []guardrails.Guardrail{
//			guardrails.Audit(s.Logger),
//			guardrails.RateLimit(100, time.Minute),
//			guardrails.Timeout(10 * time.Second),
//		}
//	}
//
// One of your own is a function, which [Func] makes a guardrail:
//
//	func openingHours(ctx context.Context, operation *guardrails.Operation, next guardrails.Next) error {
//		if hour := time.Now().Hour(); hour < 9 || hour >= 17 {
//			return guardrails.Errorf("The shop is closed. Try again after 9.")
//		}
//		return next(ctx, operation)
//	}
//
// They are put together when a thing is registered: what doesn't concern it costs
// nothing. For HTTP middleware, which comes before the message is read, see Route.Use
// and Route.Throttle of package mcp. Methods of a server's own (AddMethod) have no
// guardrails.
package guardrails
