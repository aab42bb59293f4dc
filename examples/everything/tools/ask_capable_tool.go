package tools

import (
	"context"
	"errors"

	"github.com/bowline-mcp/bowline/framework/ask"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// AskCapableTool asks the user, or the client's model if the client has no way to ask
// the user.
type AskCapableTool struct {
	tools.Tool
}

// Name is the one that the official conformance suite looks for.
func (*AskCapableTool) Name() string { return "test_input_required_result_capabilities" }

// Description tells the model what the tool does.
func (*AskCapableTool) Description() string {
	return "Asks for a name: the user if that can be, else the model."
}

// Handle runs the tool.
func (*AskCapableTool) Handle(ctx context.Context, request *tools.Request) (tools.Result, error) {
	answer, err := request.Ask(ctx, "user_name", askName())
	if errors.Is(err, exchange.ErrCannotAsk) {
		answer, err = request.Ask(ctx, "made_up", ask.Sample(ask.User("Make up a name. Say nothing else.")))
	}
	if err != nil {
		return nil, err
	}
	return tools.Text("Hello, " + answer.String("name", answer.Text()) + "!"), nil
}
