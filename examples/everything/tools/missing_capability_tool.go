package tools

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/ask"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// MissingCapabilityTool is of no use to a client without a model.
type MissingCapabilityTool struct {
	tools.Tool
}

// Name is the one that the official conformance suite looks for.
func (*MissingCapabilityTool) Name() string { return "test_missing_capability" }

// Description tells the model what the tool does.
func (*MissingCapabilityTool) Description() string {
	return "Asks the client's model, and fails for a client that has none."
}

// Handle runs the tool.
func (*MissingCapabilityTool) Handle(ctx context.Context, request *tools.Request) (tools.Result, error) {
	answer, err := request.Ask(ctx, "greeting", ask.Sample(ask.User("Say hello.")))
	if err != nil {
		return nil, err // the client reads which capability it lacks
	}
	return tools.Text(answer.Text()), nil
}
