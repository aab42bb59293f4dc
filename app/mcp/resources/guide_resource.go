// Package resources has the app's MCP resources.
package resources

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/resources"
)

// GuideResource says what the demo server has.
type GuideResource struct {
	resources.Resource
}

// URI is what clients read the resource by.
func (*GuideResource) URI() string { return "demo://guide" }

// Description says what the resource holds.
func (*GuideResource) Description() string { return "What the demo server has." }

// MIMEType is the type of the contents.
func (*GuideResource) MIMEType() string { return content.MIMEMarkdown }

// Handle reads the resource.
func (*GuideResource) Handle(ctx context.Context, request *resources.Request) (resources.Result, error) {
	return resources.Text(`# The demo server

- Tools that echo, calculate, stream a text, and delete a page that is not there.
- Knots, read by their names, such as demo://knots/bowline.
- A prompt that asks for a review of code.
`), nil
}
