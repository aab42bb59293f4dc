// Package resources has the app's MCP resources.
package resources

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/resources"
)

// GuideResource describes the demo server.
type GuideResource struct {
	resources.Resource
}

// URI identifies the resource.
func (*GuideResource) URI() string { return "demo://guide" }

// Description says what the resource contains.
func (*GuideResource) Description() string { return "Describes the demo server." }

// MIMEType returns the type of the contents.
func (*GuideResource) MIMEType() string { return content.MIMEMarkdown }

// Handle reads the resource.
func (*GuideResource) Handle(ctx context.Context, request *resources.Request) (resources.Result, error) {
	return resources.Text(`# The demo server

- Tools that echo, calculate, stream a text, choose a knot, and pretend to delete a page.
- Resources that describe knots by name, such as demo://knots/bowline.
- A prompt that asks for a code review.
`), nil
}
