package resources

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/resources"
)

// WatchedResource has contents that change, so that clients subscribe to it.
type WatchedResource struct {
	resources.Resource
	Changes *atomic.Int64
}

// URI is the one that the official conformance suite subscribes to.
func (*WatchedResource) URI() string { return "test://watched-resource" }

// Description tells what the resource is.
func (*WatchedResource) Description() string { return "Tells how often it has changed." }

// MIMEType is the type of the text.
func (*WatchedResource) MIMEType() string { return content.MIMEPlain }

// Handle reads the resource.
func (r *WatchedResource) Handle(ctx context.Context, request *resources.Request) (resources.Result, error) {
	return resources.Text(fmt.Sprintf("It has changed %d times.", r.Changes.Load())), nil
}
