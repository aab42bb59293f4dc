package tools

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/tools"
)

// StreamingElicitationTool asks after it has begun to stream.
type StreamingElicitationTool struct {
	tools.Tool
}

// Name is the one that the official conformance suite looks for.
func (*StreamingElicitationTool) Name() string { return "test_streaming_elicitation" }

// Description tells the model what the tool does.
func (*StreamingElicitationTool) Description() string { return "Reports progress, then asks the user." }

// Handle runs the tool.
func (*StreamingElicitationTool) Handle(ctx context.Context, request *tools.Request) (tools.Result, error) {
	if err := request.Progress(1, 2, "about to ask"); err != nil {
		return nil, err
	}
	agreed, err := request.Confirm(ctx, "proceed", "Go on?")
	if err != nil {
		return nil, err
	}
	if !agreed {
		return tools.Text("The user does not want to go on."), nil
	}
	return tools.Text("The user wants to go on."), nil
}
