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

// DeskServer is the front desk of a house with rooms to book.
type DeskServer struct {
	servers.Server
	Log *slog.Logger // of the audit
}

// Tools lists what the server offers.
func (*DeskServer) Tools() []servers.Tool {
	return []servers.Tool{&tools.CallPorterTool{}, &tools.BookRoomTool{}}
}

// Guardrails stand around all of it, the first outermost.
func (s *DeskServer) Guardrails() []guardrails.Guardrail {
	return []guardrails.Guardrail{
		guardrails.Audit(s.Log, "room"),
		guardrails.RateLimit(100, time.Minute),
		guardrails.ResponseLimit(64 << 10),
		guardrails.Timeout(5 * time.Second),
		guardrails.Func(keepCellarClosed).On(guardrails.Call),
	}
}

// keepCellarClosed refuses whatever is about the cellar.
func keepCellarClosed(ctx context.Context, operation *guardrails.Operation, next guardrails.Next) error {
	if room, _ := operation.Argument("room"); room == "cellar" {
		return guardrails.Errorf("The cellar is closed for repairs. Choose another room.")
	}
	return next(ctx, operation)
}
