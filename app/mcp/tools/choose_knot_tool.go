package tools

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/annotations"
	"github.com/bowline-mcp/bowline/framework/ask"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// ChooseKnotTool asks the user for a purpose and chooses a knot.
type ChooseKnotTool struct {
	tools.Tool
	annotations.IsReadOnly
}

// Description tells the model what the tool does.
func (*ChooseKnotTool) Description() string {
	return "Chooses a knot. Asks the user what it is for."
}

// Handle runs the tool.
func (*ChooseKnotTool) Handle(ctx context.Context, request *tools.Request) (tools.Result, error) {
	answer, err := request.Ask(ctx, "use", ask.Form("What is the knot for?", func(form *ask.Fields) {
		form.Enum("use").Title("Use").
			Option("bowline", "A loop that holds").
			Option("clove-hitch", "A rope to a post").
			Option("fishermans-knot", "Two ropes").
			Required()
		form.Boolean("wet").Title("The rope gets wet").Default(false)
	}))
	if err != nil {
		return nil, err
	}
	if !answer.Accepted() {
		return tools.Text("The user did not say what the knot is for."), nil
	}
	text := "Tie a " + answer.String("use") + ". It is described at demo://knots/" + answer.String("use") + "."
	if answer.Bool("wet") {
		text += " Check it often: a wet rope slips."
	}
	return tools.Text(text), nil
}
