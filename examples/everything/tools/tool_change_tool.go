package tools

import (
	"context"
	"sync"

	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// ToolChangeTool changes the server's list of tools while it serves. Clients that listen
// are notified.
type ToolChangeTool struct {
	tools.Tool
	Server *servers.Server
	lock   sync.Mutex // two calls at once don't both add it
}

// Name is the one that the official conformance suite looks for.
func (*ToolChangeTool) Name() string { return "test_trigger_tool_change" }

// Description tells the model what the tool does.
func (*ToolChangeTool) Description() string {
	return "Adds a tool to the server, or removes it again."
}

// Handle runs the tool.
func (t *ToolChangeTool) Handle(ctx context.Context, request *tools.Request) (tools.Result, error) {
	t.lock.Lock()
	defer t.lock.Unlock()
	if t.Server.RemoveTool("test_sometimes") {
		return tools.Text("The tool test_sometimes is gone."), nil
	}
	sometimes := tools.New(tools.Definition{Name: "test_sometimes", Description: "Is there sometimes."},
		func(context.Context, *tools.Request) (tools.Result, error) { return tools.Text("I am here."), nil })
	return tools.Text("The tool test_sometimes is there."), t.Server.AddTool(sometimes)
}
