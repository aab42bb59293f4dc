// Package resources has the example's MCP resources, one for each thing that a
// resource can be.
package resources

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/framework/resources"

	"github.com/bowline-mcp/bowline/examples/everything/scopes"
)

// StaticTextResource is a text.
type StaticTextResource struct {
	resources.Resource
}

// URI says where the resource is.
func (*StaticTextResource) URI() string { return "test://static-text" }

// Description tells what the resource is.
func (*StaticTextResource) Description() string { return "A text that never changes." }

// MIMEType is the type of the text.
func (*StaticTextResource) MIMEType() string { return content.MIMEPlain }

// Guardrails require scopes of a client with a token.
func (*StaticTextResource) Guardrails() []guardrails.Guardrail {
	return []guardrails.Guardrail{scopes.Required()}
}

// Handle reads the resource.
func (*StaticTextResource) Handle(ctx context.Context, request *resources.Request) (resources.Result, error) {
	return resources.Text("This is the content of the static text resource."), nil
}
