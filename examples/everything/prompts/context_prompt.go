package prompts

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/ask"
	"github.com/bowline-mcp/bowline/framework/prompts"
)

// ContextPrompt asks the user before it says anything.
type ContextPrompt struct {
	prompts.Prompt
}

// Name pins the name that the conformance suite asks for.
func (*ContextPrompt) Name() string { return "test_input_required_result_prompt" }

// Description tells what the prompt is for.
func (*ContextPrompt) Description() string { return "Asks the user for a context, and uses it." }

// Handle gets the prompt.
func (*ContextPrompt) Handle(ctx context.Context, request *prompts.Request) (prompts.Result, error) {
	answer, err := request.Ask(ctx, "user_context", ask.Form("What context should the prompt use?", func(form *ask.Fields) {
		form.String("context").Title("Context").Required()
	}))
	if err != nil {
		return nil, err
	}
	return prompts.User("Answer in this context: " + answer.String("context", "none in particular")), nil
}
