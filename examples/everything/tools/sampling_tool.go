package tools

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/ask"
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// SamplingTool asks the client's model.
type SamplingTool struct {
	tools.Tool
}

// Name is the one that the official conformance suite looks for.
func (*SamplingTool) Name() string { return "test_sampling" }

// Description tells the model what the tool does.
func (*SamplingTool) Description() string {
	return "Asks the client's model, and repeats what it says."
}

// Schema describes the tool's arguments.
func (*SamplingTool) Schema(s *schema.Object) {
	s.String("prompt").Description("What to ask.").MinLength(1).Required()
}

// Handle runs the tool.
func (*SamplingTool) Handle(ctx context.Context, request *tools.Request) (tools.Result, error) {
	answer, err := request.Ask(ctx, "answer", ask.Sample(ask.User(request.String("prompt"))).MaxTokens(100))
	if err != nil {
		return nil, err
	}
	return tools.Text(answer.Model() + " says: " + answer.Text()), nil
}
