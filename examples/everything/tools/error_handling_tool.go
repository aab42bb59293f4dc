package tools

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/annotations"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// ErrorHandlingTool fails in a way that the model can read.
type ErrorHandlingTool struct {
	tools.Tool
	annotations.IsReadOnly
}

// Name pins the tool's name.
func (*ErrorHandlingTool) Name() string { return "test_error_handling" }

// Description tells the model what the tool does.
func (*ErrorHandlingTool) Description() string { return "Always fails, and says why." }

// Handle runs the tool.
func (*ErrorHandlingTool) Handle(ctx context.Context, request *tools.Request) (tools.Result, error) {
	return tools.Error("This tool always fails. Call another one."), nil
}
