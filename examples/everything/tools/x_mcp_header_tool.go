package tools

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/annotations"
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// XMCPHeaderTool has an argument that clients repeat in an HTTP header, so that a
// proxy can route the call without reading its body.
type XMCPHeaderTool struct {
	tools.Tool
	annotations.IsReadOnly
}

// Name pins the tool's name.
func (*XMCPHeaderTool) Name() string { return "test_x_mcp_header" }

// Description tells the model what the tool does.
func (*XMCPHeaderTool) Description() string { return "Returns the region that it is called for." }

// Schema describes the tool's arguments.
func (*XMCPHeaderTool) Schema(s *schema.Object) {
	s.String("region").Description("The region to run in, such as eu.").Header("Region").Required()
}

// Handle runs the tool.
func (*XMCPHeaderTool) Handle(ctx context.Context, request *tools.Request) (tools.Result, error) {
	return tools.Text("The region is " + request.String("region") + "."), nil
}
