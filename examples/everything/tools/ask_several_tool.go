package tools

import (
	"context"
	"fmt"

	"github.com/bowline-mcp/bowline/framework/ask"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// AskSeveralTool asks three questions at once.
type AskSeveralTool struct {
	tools.Tool
}

// Name is the one that the official conformance suite looks for.
func (*AskSeveralTool) Name() string { return "test_input_required_result_multiple_inputs" }

// Description tells the model what the tool does.
func (*AskSeveralTool) Description() string {
	return "Asks for a name, a greeting and the client's folders, all at once."
}

// Handle runs the tool.
func (*AskSeveralTool) Handle(ctx context.Context, request *tools.Request) (tools.Result, error) {
	answers, err := request.AskAll(ctx, map[string]ask.Question{
		"user_name":    askName(),
		"greeting":     ask.Sample(ask.User("Make up a greeting of five words.")).MaxTokens(50),
		"client_roots": ask.Roots(),
	})
	if err != nil {
		return nil, err
	}
	return tools.Text(fmt.Sprintf("%s %s You work in %d folders.",
		answers["greeting"].Text(), answers["user_name"].String("name", "Stranger."), len(answers["client_roots"].Roots()))), nil
}
