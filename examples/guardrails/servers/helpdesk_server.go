// Package servers has the example's server.
package servers

import (
	"context"
	"log/slog"
	"time"

	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/framework/servers"

	"github.com/bowline-mcp/bowline/examples/guardrails/tools"
)

// HelpdeskServer has tools for a helpdesk's tickets.
type HelpdeskServer struct {
	servers.Server
	Log *slog.Logger // of the audit
}

// Tools lists what the server offers.
func (*HelpdeskServer) Tools() []servers.Tool {
	return []servers.Tool{&tools.OpenTicketTool{}, &tools.TakeTicketTool{}}
}

// Guardrails run around everything that the server offers, the first outermost.
func (s *HelpdeskServer) Guardrails() []guardrails.Guardrail {
	return []guardrails.Guardrail{
		guardrails.Audit(s.Log, "queue"),
		guardrails.RateLimit(100, time.Minute),
		guardrails.ResponseLimit(64 << 10),
		guardrails.Timeout(5 * time.Second),
		guardrails.Func(refuseBilling).On(guardrails.Call),
	}
}

// refuseBilling refuses calls for the queue billing.
func refuseBilling(ctx context.Context, operation *guardrails.Operation, next guardrails.Next) error {
	if queue, _ := operation.Argument("queue"); queue == "billing" {
		return guardrails.Errorf("The queue billing is closed until Monday. Choose another queue.")
	}
	return next(ctx, operation)
}
