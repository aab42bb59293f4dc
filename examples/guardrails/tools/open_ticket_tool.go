// Package tools has the example's tools.
package tools

import (
	"context"
	"time"

	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// OpenTicketTool opens a ticket. Each client may open one a minute.
type OpenTicketTool struct {
	tools.Tool
}

// Description tells the model what the tool does.
func (*OpenTicketTool) Description() string { return "Opens a ticket in a queue." }

// Schema describes the tool's arguments.
func (*OpenTicketTool) Schema(s *schema.Object) {
	s.String("queue").Description("The queue, such as printers.").Required()
}

// Guardrails run around calls of the tool, inside the server's.
func (*OpenTicketTool) Guardrails() []guardrails.Guardrail {
	return []guardrails.Guardrail{guardrails.RateLimit(1, time.Minute)}
}

// Handle runs the tool.
func (*OpenTicketTool) Handle(ctx context.Context, request *tools.Request) (tools.Result, error) {
	return tools.Text("The ticket is in the queue " + request.String("queue") + "."), nil
}
