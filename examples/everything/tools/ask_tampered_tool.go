package tools

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/tools"
)

// AskTamperedTool asks for consent. A client that alters the state which comes with
// the question gets an error, and the handler isn't run.
type AskTamperedTool struct {
	tools.Tool
}

// Name is the one that the official conformance suite looks for.
func (*AskTamperedTool) Name() string { return "test_input_required_result_tampered_state" }

// Description tells the model what the tool does.
func (*AskTamperedTool) Description() string {
	return "Asks the user to agree, and refuses a state that was altered."
}

// Handle runs the tool.
func (*AskTamperedTool) Handle(ctx context.Context, request *tools.Request) (tools.Result, error) {
	answer, err := request.Ask(ctx, "confirm", askAgreement())
	if err != nil {
		return nil, err
	}
	if !answer.Bool("ok") {
		return tools.Text("The user does not agree."), nil
	}
	return tools.Text("The user agrees."), nil
}
