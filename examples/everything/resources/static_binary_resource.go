package resources

import (
	"context"
	_ "embed"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/resources"
)

//go:embed square.png
var square []byte

// StaticBinaryResource is a picture.
type StaticBinaryResource struct {
	resources.Resource
}

// URI says where the resource is.
func (*StaticBinaryResource) URI() string { return "test://static-binary" }

// Description tells what the resource is.
func (*StaticBinaryResource) Description() string { return "A picture that never changes." }

// MIMEType is the type of the picture.
func (*StaticBinaryResource) MIMEType() string { return content.MIMEPNG }

// Handle reads the resource.
func (*StaticBinaryResource) Handle(ctx context.Context, request *resources.Request) (resources.Result, error) {
	return resources.Blob(square), nil
}
