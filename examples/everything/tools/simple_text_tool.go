// Package tools has the example's tools, one for each thing that a tool can return
// or do. Their names are those that the conformance suite calls.
package tools

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/annotations"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/framework/tools"

	"github.com/bowline-mcp/bowline/examples/everything/scopes"
)

// SimpleTextTool returns text.
type SimpleTextTool struct {
	tools.Tool
	annotations.IsReadOnly
}

// Name pins the tool's name.
func (*SimpleTextTool) Name() string { return "test_simple_text" }

// Description tells the model what the tool does.
func (*SimpleTextTool) Description() string { return "Returns a line of text." }

// Guardrails require scopes of a client with a token.
func (*SimpleTextTool) Guardrails() []guardrails.Guardrail {
	return []guardrails.Guardrail{scopes.Required()}
}

// Handle runs the tool.
func (*SimpleTextTool) Handle(ctx context.Context, request *tools.Request) (tools.Result, error) {
	return tools.Text("This is a line of text."), nil
}
