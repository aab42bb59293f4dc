// Package tools has the app's MCP tools.
package tools

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/annotations"
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// EchoTool repeats a message.
type EchoTool struct {
	tools.Tool
	annotations.IsReadOnly
}

// Description tells the model what the tool does.
func (*EchoTool) Description() string { return "Repeats a message." }

// Schema describes the tool's arguments.
func (*EchoTool) Schema(s *schema.Object) {
	s.String("message").Description("The message to repeat.").MaxLength(10_000).Required()
}

// Handle runs the tool.
func (*EchoTool) Handle(ctx context.Context, request *tools.Request) (tools.Result, error) {
	return tools.Text(request.String("message")), nil
}
