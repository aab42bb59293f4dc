// Package prompts has the example's MCP prompts, one for each thing that a prompt
// can be made of.
package prompts

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/prompts"
)

// SimplePrompt is one message.
type SimplePrompt struct {
	prompts.Prompt
}

// Name pins the name that the conformance suite asks for.
func (*SimplePrompt) Name() string { return "test_simple_prompt" }

// Description tells what the prompt is for.
func (*SimplePrompt) Description() string { return "Is one message." }

// Handle gets the prompt.
func (*SimplePrompt) Handle(ctx context.Context, request *prompts.Request) (prompts.Result, error) {
	return prompts.User("This is a simple prompt for testing."), nil
}
