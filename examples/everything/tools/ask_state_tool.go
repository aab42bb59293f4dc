package tools

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/ask"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// AskStateTool asks for consent: an answer counts only together with the sealed
// state that proves that the question was asked.
type AskStateTool struct {
	tools.Tool
}

// Name is the one that the official conformance suite looks for.
func (*AskStateTool) Name() string { return "test_input_required_result_request_state" }

// Description tells the model what the tool does.
func (*AskStateTool) Description() string { return "Asks the user to agree." }

// Handle runs the tool.
func (*AskStateTool) Handle(ctx context.Context, request *tools.Request) (tools.Result, error) {
	answer, err := request.Ask(ctx, "confirm", askAgreement())
	if err != nil {
		return nil, err
	}
	if !answer.Bool("ok") {
		return tools.Text("The user does not agree."), nil
	}
	return tools.Text("The user agrees: state-ok"), nil
}

// askAgreement is a question that several tools have.
func askAgreement() *ask.FormQuestion {
	return ask.Form("Do you agree?", func(form *ask.Fields) {
		form.Boolean("ok").Title("I agree").Required()
	})
}
