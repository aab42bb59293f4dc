package tools

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/ask"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// AskModelTool asks the client's model a question of its own.
type AskModelTool struct {
	tools.Tool
}

// Name is the one that the official conformance suite looks for.
func (*AskModelTool) Name() string { return "test_input_required_result_sampling" }

// Description tells the model what the tool does.
func (*AskModelTool) Description() string { return "Asks the client's model for a capital." }

// Handle runs the tool.
func (*AskModelTool) Handle(ctx context.Context, request *tools.Request) (tools.Result, error) {
	answer, err := request.Ask(ctx, "capital_question", ask.Sample(ask.User("What is the capital of France?")).MaxTokens(100))
	if err != nil {
		return nil, err
	}
	return tools.Text("The model says: " + answer.Text()), nil
}
