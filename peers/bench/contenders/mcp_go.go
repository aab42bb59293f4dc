package contenders

import (
	"context"
	"io"
	"net/http"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/bowline-mcp/bowline/peers/bench/wire"
)

// mcpGo builds a server with mcp-go. Validated turns on its validation of arguments; its schemas
// are closed either way. Its validation of the output stays off, because the Go type of the output
// already guarantees the schema.
func mcpGo(kit Kit, validated bool) *server.MCPServer {
	options := []server.ServerOption{server.WithToolCapabilities(false)}
	if validated {
		options = append(options, server.WithInputSchemaValidation())
	}
	s := server.NewMCPServer(name, version, options...)
	for _, tool := range kit.echoNames() {
		s.AddTool(mcp.NewTool(tool, mcp.WithDescription(description), mcp.WithInputSchema[wire.EchoIn](), mcp.WithOutputSchema[wire.EchoOut]()),
			mcp.NewStructuredToolHandler(func(ctx context.Context, _ mcp.CallToolRequest, in wire.EchoIn) (wire.EchoOut, error) {
				return echo(ctx, in)
			}))
	}
	if kit == Stream {
		s.AddTool(mcp.NewTool(StreamTool, mcp.WithDescription(description), mcp.WithInputSchema[wire.EchoIn]()),
			func(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				for i := range wire.Notifications {
					params := map[string]any{"progressToken": request.Params.Meta.ProgressToken, "progress": i + 1, "total": wire.Notifications}
					if err := s.SendNotificationToClient(ctx, "notifications/progress", params); err != nil {
						return nil, err
					}
				}
				return mcp.NewToolResultText("done"), nil
			})
	}
	return s
}

// MCPGo serves both eras.
func MCPGo(kit Kit, validated bool) http.Handler {
	return server.NewStreamableHTTPServer(mcpGo(kit, validated), server.WithStateful(true))
}

// MCPGoStdio serves until the input ends.
func MCPGoStdio(ctx context.Context, in io.Reader, out io.Writer, validated bool) error {
	return server.NewStdioServer(mcpGo(One, validated)).Listen(ctx, in, out)
}
