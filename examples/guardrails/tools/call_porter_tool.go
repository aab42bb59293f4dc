// Package tools has the example's tools.
package tools

import (
	"context"
	"time"

	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// CallPorterTool calls the porter, whom everybody may bother once a minute.
type CallPorterTool struct {
	tools.Tool
}

// Description tells the model what the tool does.
func (*CallPorterTool) Description() string { return "Calls the porter to a room." }

// Schema describes the tool's arguments.
func (*CallPorterTool) Schema(schema *schema.Object) {
	schema.String("room").Description("Where the porter is needed.").Required()
}

// Guardrails stand around calls of the tool, inside of the server's.
func (*CallPorterTool) Guardrails() []guardrails.Guardrail {
	return []guardrails.Guardrail{guardrails.RateLimit(1, time.Minute)}
}

// Handle runs the tool.
func (*CallPorterTool) Handle(ctx context.Context, request *tools.Request) (tools.Result, error) {
	return tools.Text("The porter is on the way to the " + request.String("room") + "."), nil
}
