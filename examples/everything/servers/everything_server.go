// Package servers has the example's MCP server.
package servers

import (
	"context"
	"errors"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/servers"

	"github.com/bowline-mcp/bowline/examples/everything/tools"
)

// EverythingServer offers every tool of the example.
type EverythingServer struct {
	servers.Server
}

// Description says in a sentence what the server is for.
func (*EverythingServer) Description() string {
	return "Shows, one tool each, what a tool can return and do."
}

// Tools lists what the server offers.
func (*EverythingServer) Tools() []servers.Tool {
	return []servers.Tool{
		&tools.SimpleTextTool{},
		&tools.ImageContentTool{},
		&tools.AudioContentTool{},
		&tools.EmbeddedResourceTool{},
		&tools.MultipleContentTypesTool{},
		&tools.ErrorHandlingTool{},
		tools.NewProgressTool(),
		&tools.JSONSchema202012Tool{},
		&tools.XMCPHeaderTool{},
	}
}

// Boot answers the lists of resources and prompts, which are empty, until the
// framework serves them. A client may ask for them whatever a server declares.
func (s *EverythingServer) Boot(context.Context) error {
	return errors.Join(
		s.AddMethod("resources/list", empty("resources")),
		s.AddMethod("resources/templates/list", empty("resourceTemplates")),
		s.AddMethod("prompts/list", empty("prompts")),
	)
}

// empty answers with an empty list, and the cache hints that a list must have.
func empty(list string) servers.Method {
	return func(context.Context, *exchange.Request) (any, error) {
		return map[string]any{list: []any{}, "ttlMs": 0, "cacheScope": "private"}, nil
	}
}
