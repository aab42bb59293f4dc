package tools

import (
	"context"
	"sync/atomic"

	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// ResourceChangeTool changes the contents of the watched resource. Clients that have
// subscribed to it are notified.
type ResourceChangeTool struct {
	tools.Tool
	Server  *servers.Server
	Changes *atomic.Int64
}

// Name is in the manner of the others.
func (*ResourceChangeTool) Name() string { return "test_trigger_resource_change" }

// Description tells the model what the tool does.
func (*ResourceChangeTool) Description() string {
	return "Changes the resource test://watched-resource."
}

// Handle runs the tool.
func (t *ResourceChangeTool) Handle(ctx context.Context, request *tools.Request) (tools.Result, error) {
	t.Changes.Add(1)
	t.Server.ResourceUpdated("test://watched-resource")
	return tools.Text("The resource is another now."), nil
}
