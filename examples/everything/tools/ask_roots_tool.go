package tools

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/ask"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// AskRootsTool asks the client for the folders that it works in.
type AskRootsTool struct {
	tools.Tool
}

// Name is the one that the official conformance suite looks for.
func (*AskRootsTool) Name() string { return "test_input_required_result_list_roots" }

// Description tells the model what the tool does.
func (*AskRootsTool) Description() string { return "Lists the folders that the client works in." }

// Handle runs the tool.
func (*AskRootsTool) Handle(ctx context.Context, request *tools.Request) (tools.Result, error) {
	answer, err := request.Ask(ctx, "client_roots", ask.Roots())
	if err != nil {
		return nil, err
	}
	list := "The client works in:"
	for _, root := range answer.Roots() {
		list += "\n" + root.URI
	}
	return tools.Text(list), nil
}
