// Package servers has the app's MCP servers.
package servers

import (
	"github.com/bowline-mcp/bowline/framework/servers"

	"github.com/bowline-mcp/bowline/app/mcp/tools"
)

// DemoServer shows what a server can offer.
type DemoServer struct {
	servers.Server
}

// Tools lists what the server offers.
func (*DemoServer) Tools() []servers.Tool {
	return []servers.Tool{
		&tools.EchoTool{},
		&tools.CalculateTool{},
		tools.NewChatStreamingTool(),
		&tools.DeletePageTool{},
	}
}
