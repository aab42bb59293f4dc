package resources

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/resources"
)

// KnotResource says what a knot is for. Its URI has braces, so it is a template for many
// resources.
type KnotResource struct {
	resources.Resource
}

// URI identifies the resource.
func (*KnotResource) URI() string { return "demo://knots/{name}" }

// Description says what the resource contains.
func (*KnotResource) Description() string { return "What a knot is for." }

// MIMEType returns the type of the contents.
func (*KnotResource) MIMEType() string { return content.MIMEPlain }

// Variables declares suggestions for the variables of the URI.
func (*KnotResource) Variables(variables *resources.Variables) {
	variables.Variable("name").Enum("bowline", "clove-hitch", "figure-eight", "fishermans-knot")
}

// Handle reads the resource.
func (*KnotResource) Handle(ctx context.Context, request *resources.Request) (resources.Result, error) {
	switch request.Variable("name") {
	case "bowline":
		return resources.Text("A loop that neither slips nor jams."), nil
	case "clove-hitch":
		return resources.Text("Ties a rope to a post."), nil
	case "figure-eight":
		return resources.Text("Keeps a rope from running out of a hole."), nil
	case "fishermans-knot":
		return resources.Text("Joins two ropes."), nil
	}
	return nil, exchange.ErrResourceNotFound
}
