package tools

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/ask"
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// ElicitationTool asks the user to fill in a form.
type ElicitationTool struct {
	tools.Tool
}

// Name is the one that the official conformance suite looks for.
func (*ElicitationTool) Name() string { return "test_elicitation" }

// Description tells the model what the tool does.
func (*ElicitationTool) Description() string { return "Asks the user for a name and an address." }

// Schema describes the tool's arguments.
func (*ElicitationTool) Schema(s *schema.Object) {
	s.String("message").Description("What the form says.").MinLength(1).Required()
}

// Handle runs the tool.
func (*ElicitationTool) Handle(ctx context.Context, request *tools.Request) (tools.Result, error) {
	answer, err := request.Ask(ctx, "user", ask.Form(request.String("message"), func(form *ask.Fields) {
		form.String("username").Title("Name").Description("What to call you.").Required()
		form.String("email").Title("Email").Description("Where to write to.").Required()
	}))
	if err != nil {
		return nil, err
	}
	if !answer.Accepted() {
		return tools.Text("The user's action: " + string(answer.Action())), nil
	}
	return tools.Text("The user is " + answer.String("username") + " at " + answer.String("email") + "."), nil
}
