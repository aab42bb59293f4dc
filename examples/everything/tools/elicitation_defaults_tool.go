package tools

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/ask"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// ElicitationDefaultsTool asks the user by a form whose fields are filled in
// (SEP-1034).
type ElicitationDefaultsTool struct {
	tools.Tool
}

// Name is the one that the official conformance suite looks for.
func (*ElicitationDefaultsTool) Name() string { return "test_elicitation_sep1034_defaults" }

// Description tells the model what the tool does.
func (*ElicitationDefaultsTool) Description() string {
	return "Asks the user by a form with a default for each kind of field."
}

// A person is what the form asks for.
type person struct {
	Name     string  `json:"name"`
	Age      int     `json:"age"`
	Score    float64 `json:"score"`
	Status   string  `json:"status"`
	Verified bool    `json:"verified"`
}

// Handle runs the tool.
func (*ElicitationDefaultsTool) Handle(ctx context.Context, request *tools.Request) (tools.Result, error) {
	answer, err := request.Ask(ctx, "person", ask.Form("Check the details.", func(form *ask.Fields) {
		form.String("name").Description("Who it is.").Default("John Doe")
		form.Integer("age").Description("In years.").Default(30)
		form.Number("score").Description("Out of 100.").Default(95.5)
		form.Enum("status", "active", "inactive", "pending").Description("How the account is.").Default("active")
		form.Boolean("verified").Description("Whether somebody has checked.").Default(true)
	}))
	if err != nil {
		return nil, err
	}
	if !answer.Accepted() {
		return tools.Text("The user's action: " + string(answer.Action())), nil
	}
	var person person
	if err := answer.Bind(&person); err != nil {
		return nil, err
	}
	return tools.Structured(person), nil
}
