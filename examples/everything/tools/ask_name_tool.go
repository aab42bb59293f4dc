package tools

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/ask"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// AskNameTool asks the user for a name, which a client may also give unasked.
type AskNameTool struct {
	tools.Tool
}

// Name is the one that the official conformance suite looks for.
func (*AskNameTool) Name() string { return "test_input_required_result_elicitation" }

// Description tells the model what the tool does.
func (*AskNameTool) Description() string { return "Greets the user by name." }

// Handle runs the tool.
func (*AskNameTool) Handle(ctx context.Context, request *tools.Request) (tools.Result, error) {
	answer, err := request.Ask(ctx, "user_name", askName().Early()) // a name is no secret and no consent
	if err != nil {
		return nil, err
	}
	if !answer.Accepted() {
		return tools.Text("Hello, whoever you are!"), nil
	}
	return tools.Text("Hello, " + answer.String("name") + "!"), nil
}

// askName is a question that several tools have.
func askName() *ask.FormQuestion {
	return ask.Form("What is your name?", func(form *ask.Fields) {
		form.String("name").Title("Name").MinLength(1).Required()
	})
}
