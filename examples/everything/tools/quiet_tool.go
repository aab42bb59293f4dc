package tools

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/tools"
)

// QuietTool logs something, which only reaches clients that ask for it.
type QuietTool struct{ tools.Tool }

// Name is the one that the official conformance suite looks for.
func (*QuietTool) Name() string { return "test_logging_tool" }

// Description tells the model what the tool does.
func (*QuietTool) Description() string { return "Sends one log message, if the client wants it." }

// Handle runs the tool.
func (*QuietTool) Handle(ctx context.Context, request *tools.Request) (tools.Result, error) {
	request.Log().InfoContext(ctx, "Somebody called.")
	return tools.Text("The message was sent."), nil
}
