package prompts

import (
	"context"
	"fmt"

	"github.com/bowline-mcp/bowline/framework/completion"
	"github.com/bowline-mcp/bowline/framework/prompts"
)

// ArgumentsPrompt takes two arguments, of which the first is completed.
type ArgumentsPrompt struct {
	prompts.Prompt
}

// Name pins the name that the conformance suite asks for.
func (*ArgumentsPrompt) Name() string { return "test_prompt_with_arguments" }

// Description tells what the prompt is for.
func (*ArgumentsPrompt) Description() string { return "Repeats its two arguments." }

// Arguments describes the prompt's arguments.
func (*ArgumentsPrompt) Arguments(arguments *prompts.Arguments) {
	arguments.Argument("arg1").Description("The first argument.").Required().
		Complete(completion.Values("test", "testing", "trial"))
	arguments.Argument("arg2").Description("The second argument.").Required()
}

// Handle gets the prompt.
func (*ArgumentsPrompt) Handle(ctx context.Context, request *prompts.Request) (prompts.Result, error) {
	return prompts.User(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", request.String("arg1"), request.String("arg2"))), nil
}
