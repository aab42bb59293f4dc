package tools

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/annotations"
	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// EmbeddedResourceTool returns a resource whole, not a link to it.
type EmbeddedResourceTool struct {
	tools.Tool
	annotations.IsReadOnly
}

// Name pins the tool's name.
func (*EmbeddedResourceTool) Name() string { return "test_embedded_resource" }

// Description tells the model what the tool does.
func (*EmbeddedResourceTool) Description() string { return "Returns a resource with its text." }

// Handle runs the tool.
func (*EmbeddedResourceTool) Handle(ctx context.Context, request *tools.Request) (tools.Result, error) {
	return tools.Resource("test://embedded-resource", content.MIMEPlain, "This is the text of a resource."), nil
}
