// Package servers has the app's MCP servers.
package servers

import (
	"github.com/bowline-mcp/bowline/framework/servers"

	"github.com/bowline-mcp/bowline/app/mcp/prompts"
	"github.com/bowline-mcp/bowline/app/mcp/resources"
	"github.com/bowline-mcp/bowline/app/mcp/tools"
)

// DemoServer demonstrates the features of a server.
type DemoServer struct {
	servers.Server
}

// Tools returns the server's tools.
func (*DemoServer) Tools() []servers.Tool {
	return []servers.Tool{
		&tools.EchoTool{},
		&tools.CalculateTool{},
		tools.NewChatStreamingTool(),
		&tools.DeletePageTool{},
		&tools.ChooseKnotTool{},
	}
}

// Resources returns the server's resources and templates.
func (*DemoServer) Resources() []servers.Resource {
	return []servers.Resource{
		&resources.GuideResource{},
		&resources.KnotResource{},
	}
}

// Prompts returns the server's prompts.
func (*DemoServer) Prompts() []servers.Prompt {
	return []servers.Prompt{
		&prompts.CodeReviewPrompt{},
	}
}
