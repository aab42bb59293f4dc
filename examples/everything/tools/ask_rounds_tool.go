package tools

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/ask"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// AskRoundsTool asks one question after the other. The second depends on the first
// answer.
type AskRoundsTool struct {
	tools.Tool
}

// Name is the one that the official conformance suite looks for.
func (*AskRoundsTool) Name() string { return "test_input_required_result_multi_round" }

// Description tells the model what the tool does.
func (*AskRoundsTool) Description() string { return "Asks for a name, then for a colour." }

// Handle runs the tool.
func (*AskRoundsTool) Handle(ctx context.Context, request *tools.Request) (tools.Result, error) {
	first, err := request.Ask(ctx, "step1", askName())
	if err != nil {
		return nil, err
	}
	name := first.String("name", "Stranger")
	second, err := request.Ask(ctx, "step2", ask.Form("What is your favourite colour, "+name+"?", func(form *ask.Fields) {
		form.String("color").Title("Colour").Required()
	}))
	if err != nil {
		return nil, err
	}
	return tools.Text(name + " likes " + second.String("color", "no colour") + "."), nil
}
