package tools

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// BookRoomTool books a room. It is there for members only.
type BookRoomTool struct {
	tools.Tool
}

// Description tells the model what the tool does.
func (*BookRoomTool) Description() string { return "Books a room." }

// Schema describes the tool's arguments.
func (*BookRoomTool) Schema(schema *schema.Object) {
	schema.String("room").Description("The room to book.").Required()
}

// Guardrails hide the tool from who is no member.
func (*BookRoomTool) Guardrails() []guardrails.Guardrail {
	return []guardrails.Guardrail{guardrails.Permission(isMember)}
}

func isMember(ctx context.Context, _ string) bool { return exchange.PrincipalFrom(ctx).ID != "" }

// Handle runs the tool.
func (*BookRoomTool) Handle(ctx context.Context, request *tools.Request) (tools.Result, error) {
	return tools.Text("The " + request.String("room") + " is yours, " + request.Principal().ID + "."), nil
}
