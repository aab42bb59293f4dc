// Package servers has the example's MCP server.
package servers

import (
	"sync/atomic"

	"github.com/bowline-mcp/bowline/framework/servers"

	"github.com/bowline-mcp/bowline/examples/everything/prompts"
	"github.com/bowline-mcp/bowline/examples/everything/resources"
	"github.com/bowline-mcp/bowline/examples/everything/tools"
)

// EverythingServer offers everything that the example has.
type EverythingServer struct {
	servers.Server
	changes atomic.Int64 // of the watched resource
}

// Description says in a sentence what the server is for.
func (*EverythingServer) Description() string {
	return "Shows, one of each, what tools, resources and prompts can be."
}

// IgnoredRules lists the rules of AI clients that json_schema_2020_12_tool breaks, since it
// shows keywords that few clients take.
func (*EverythingServer) IgnoredRules() []string {
	return []string{"input-combination", "input-reference", "required-undeclared"}
}

// Tools lists what the server offers.
func (s *EverythingServer) Tools() []servers.Tool {
	return []servers.Tool{
		&tools.SimpleTextTool{},
		&tools.ImageContentTool{},
		&tools.AudioContentTool{},
		&tools.EmbeddedResourceTool{},
		&tools.MultipleContentTypesTool{},
		&tools.ErrorHandlingTool{},
		tools.NewProgressTool(),
		tools.NewLoggingTool(),
		tools.NewReconnectionTool(),
		&tools.QuietTool{},
		&tools.JSONSchema202012Tool{},
		&tools.XMCPHeaderTool{},
		&tools.SamplingTool{},
		&tools.ElicitationTool{},
		&tools.ElicitationDefaultsTool{},
		&tools.ElicitationEnumsTool{},
		&tools.StreamingElicitationTool{},
		&tools.MissingCapabilityTool{},
		&tools.AskNameTool{},
		&tools.AskModelTool{},
		&tools.AskRootsTool{},
		&tools.AskStateTool{},
		&tools.AskTamperedTool{},
		&tools.AskSeveralTool{},
		&tools.AskRoundsTool{},
		&tools.AskCapableTool{},
		&tools.ToolChangeTool{Server: &s.Server},
		&tools.PromptChangeTool{Server: &s.Server},
		&tools.ResourceChangeTool{Server: &s.Server, Changes: &s.changes},
	}
}

// Resources lists what can be read.
func (s *EverythingServer) Resources() []servers.Resource {
	return []servers.Resource{
		&resources.StaticTextResource{},
		&resources.StaticBinaryResource{},
		&resources.DataResource{},
		&resources.WatchedResource{Changes: &s.changes},
	}
}

// Prompts lists what a user can start from.
func (*EverythingServer) Prompts() []servers.Prompt {
	return []servers.Prompt{
		&prompts.SimplePrompt{},
		&prompts.ArgumentsPrompt{},
		&prompts.EmbeddedResourcePrompt{},
		&prompts.ImagePrompt{},
		&prompts.ContextPrompt{},
	}
}
