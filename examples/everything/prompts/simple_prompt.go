// Package prompts has the example's MCP prompts, one for each thing that a prompt
// can be made of.
package prompts

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/framework/prompts"

	"github.com/bowline-mcp/bowline/examples/everything/scopes"
)

// SimplePrompt is one message.
type SimplePrompt struct {
	prompts.Prompt
}

// Name pins the name that the conformance suite asks for.
func (*SimplePrompt) Name() string { return "test_simple_prompt" }

// Description tells what the prompt is for.
func (*SimplePrompt) Description() string { return "Is one message." }

// Guardrails require scopes of a client with a token.
func (*SimplePrompt) Guardrails() []guardrails.Guardrail {
	return []guardrails.Guardrail{scopes.Required()}
}

// Handle gets the prompt.
func (*SimplePrompt) Handle(ctx context.Context, request *prompts.Request) (prompts.Result, error) {
	return prompts.User("This is a simple prompt for testing."), nil
}
