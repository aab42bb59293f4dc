// Package prompts has the app's MCP prompts.
package prompts

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/completion"
	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/prompts"
)

// CodeReviewPrompt asks for a review of code.
type CodeReviewPrompt struct {
	prompts.Prompt
}

// Description tells the person who picks the prompt what it does.
func (*CodeReviewPrompt) Description() string { return "Asks for a review of code." }

// Arguments declares the arguments that the person fills in.
func (*CodeReviewPrompt) Arguments(arguments *prompts.Arguments) {
	arguments.Argument("code").Description("The code to review.").Required()
	arguments.Argument("language").Description("The programming language.").Complete(completion.Values("go", "php", "python", "typescript"))
	arguments.Argument("style").Description("The tone; casual by default.").Enum("casual", "formal").Default("casual")
}

// Handle returns the messages.
func (*CodeReviewPrompt) Handle(ctx context.Context, request *prompts.Request) (prompts.Result, error) {
	return prompts.Messages{
		prompts.System("You review code. Your tone is " + request.String("style") + "."),
		prompts.User("Review this code:", content.Code(request.String("code"), request.String("language"))),
	}, nil
}
