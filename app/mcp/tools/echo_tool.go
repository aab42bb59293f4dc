// Package tools has the app's MCP tools.
package tools

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/annotations"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// EchoTool repeats a message.
type EchoTool struct {
	tools.Typed[EchoArguments, string]
	annotations.IsReadOnly
}

// EchoArguments are the tool's arguments.
type EchoArguments struct {
	Message string `json:"message" schema:"description='The message to repeat.',maxLength=10000"`
}

// Description tells the model what the tool does.
func (*EchoTool) Description() string { return "Repeats a message." }

// Call runs the tool.
func (*EchoTool) Call(ctx context.Context, request *tools.Request, arguments EchoArguments) (string, error) {
	return arguments.Message, nil
}
