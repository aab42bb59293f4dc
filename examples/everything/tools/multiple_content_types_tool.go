package tools

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/annotations"
	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// MultipleContentTypesTool returns several content blocks in one result.
type MultipleContentTypesTool struct {
	tools.Tool
	annotations.IsReadOnly
}

// Name pins the tool's name.
func (*MultipleContentTypesTool) Name() string { return "test_multiple_content_types" }

// Description tells the model what the tool does.
func (*MultipleContentTypesTool) Description() string {
	return "Returns a text, an image and a resource."
}

// Handle runs the tool.
func (*MultipleContentTypesTool) Handle(ctx context.Context, request *tools.Request) (tools.Result, error) {
	return tools.Items(
		content.Text("A text, an image and a resource:"),
		content.Image(square, content.MIMEPNG),
		content.EmbedText("test://mixed-content-resource", content.MIMEJSON, `{"shape":"square","color":"red"}`),
	), nil
}
