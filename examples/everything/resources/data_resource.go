package resources

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/framework/resources"

	"github.com/bowline-mcp/bowline/examples/everything/scopes"
)

// DataResource is a template: one resource for each id.
type DataResource struct {
	resources.Resource
}

// URI says where the resources are.
func (*DataResource) URI() string { return "test://template/{id}/data" }

// Description tells what the resources are.
func (*DataResource) Description() string { return "The data of an id." }

// MIMEType is the type of the data.
func (*DataResource) MIMEType() string { return content.MIMEJSON }

// Variables says how the id is completed.
func (*DataResource) Variables(variables *resources.Variables) {
	variables.Variable("id").Enum("123", "124", "200")
}

// Guardrails require scopes of a client with a token.
func (*DataResource) Guardrails() []guardrails.Guardrail {
	return []guardrails.Guardrail{scopes.Required()}
}

// Handle reads the resource of an id.
func (*DataResource) Handle(ctx context.Context, request *resources.Request) (resources.Result, error) {
	id := request.Variable("id")
	return resources.JSON(map[string]any{"id": id, "templateTest": true, "data": "Data for ID: " + id})
}
