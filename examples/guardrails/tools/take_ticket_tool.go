package tools

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// TakeTicketTool assigns the next ticket of a queue to an agent. Others don't see the
// tool.
type TakeTicketTool struct {
	tools.Tool
}

// Description tells the model what the tool does.
func (*TakeTicketTool) Description() string { return "Assigns the next ticket of a queue to you." }

// Schema describes the tool's arguments.
func (*TakeTicketTool) Schema(s *schema.Object) {
	s.String("queue").Description("The queue, such as printers.").Required()
}

// Guardrails hide the tool from everybody but agents.
func (*TakeTicketTool) Guardrails() []guardrails.Guardrail {
	return []guardrails.Guardrail{guardrails.Permission(isAgent)}
}

func isAgent(ctx context.Context, _ string) bool { return exchange.PrincipalFrom(ctx).ID != "" }

// Handle runs the tool.
func (*TakeTicketTool) Handle(ctx context.Context, request *tools.Request) (tools.Result, error) {
	return tools.Text("The next ticket in " + request.String("queue") + " is yours, " + request.Principal().ID + "."), nil
}
