package tools

import (
	"context"
	"fmt"

	"github.com/bowline-mcp/bowline/framework/ask"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// ElicitationEnumsTool asks the user by a form with every kind of choice (SEP-1330).
type ElicitationEnumsTool struct {
	tools.Tool
}

// Name is the one that the official conformance suite looks for.
func (*ElicitationEnumsTool) Name() string { return "test_elicitation_sep1330_enums" }

// Description tells the model what the tool does.
func (*ElicitationEnumsTool) Description() string { return "Asks the user to choose, in five ways." }

// Handle runs the tool.
func (*ElicitationEnumsTool) Handle(ctx context.Context, request *tools.Request) (tools.Result, error) {
	answer, err := request.Ask(ctx, "choices", ask.Form("Choose.", func(form *ask.Fields) {
		form.Enum("untitledSingle", "option1", "option2", "option3")
		form.Enum("titledSingle").Option("value1", "First").Option("value2", "Second").Option("value3", "Third")
		form.Enum("legacyEnum", "opt1", "opt2", "opt3").EnumNames("Option one", "Option two", "Option three")
		form.Enums("untitledMulti", "option1", "option2", "option3")
		form.Enums("titledMulti").Option("value1", "First").Option("value2", "Second").Option("value3", "Third")
	}))
	if err != nil {
		return nil, err
	}
	if !answer.Accepted() {
		return tools.Text("The user's action: " + string(answer.Action())), nil
	}
	return tools.Text(fmt.Sprintf("The user chose %q, %q, %q, %q and %q.",
		answer.String("untitledSingle"), answer.String("titledSingle"), answer.String("legacyEnum"),
		answer.Strings("untitledMulti"), answer.Strings("titledMulti"))), nil
}
