package tools

import (
	"context"
	_ "embed"

	"github.com/bowline-mcp/bowline/framework/annotations"
	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/tools"
)

//go:embed square.png
var square []byte

// ImageContentTool returns an image.
type ImageContentTool struct {
	tools.Tool
	annotations.IsReadOnly
}

// Name pins the tool's name.
func (*ImageContentTool) Name() string { return "test_image_content" }

// Description tells the model what the tool does.
func (*ImageContentTool) Description() string { return "Returns an image, a red square." }

// Handle runs the tool.
func (*ImageContentTool) Handle(ctx context.Context, request *tools.Request) (tools.Result, error) {
	return tools.Image(square, content.MIMEPNG), nil
}
