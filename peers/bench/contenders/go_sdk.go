package contenders

import (
	"context"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/bowline-mcp/bowline/peers/bench/wire"
)

// goSDK builds a server with the official SDK. It always validates input and output.
func goSDK(kit Kit) *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: name, Version: version}, &mcp.ServerOptions{PageSize: wire.Tools})
	for _, tool := range kit.echoNames() {
		mcp.AddTool(server, &mcp.Tool{Name: tool, Description: description},
			func(ctx context.Context, _ *mcp.CallToolRequest, in wire.EchoIn) (*mcp.CallToolResult, wire.EchoOut, error) {
				out, err := echo(ctx, in)
				return nil, out, err
			})
	}
	if kit == Stream {
		mcp.AddTool(server, &mcp.Tool{Name: StreamTool, Description: description},
			func(ctx context.Context, request *mcp.CallToolRequest, _ wire.EchoIn) (*mcp.CallToolResult, any, error) {
				for i := range wire.Notifications {
					params := &mcp.ProgressNotificationParams{
						ProgressToken: request.Params.GetProgressToken(), Progress: float64(i + 1), Total: wire.Notifications}
					if err := request.Session.NotifyProgress(ctx, params); err != nil {
						return nil, nil, err
					}
				}
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "done"}}}, nil, nil
			})
	}
	return server
}

// GoSDK serves the modern era if stateless is set, and otherwise the legacy era with sessions.
func GoSDK(kit Kit, stateless bool) http.Handler {
	server := goSDK(kit)
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: stateless, JSONResponse: kit != Stream})
}

// GoSDKStdio serves stdin and stdout until the input ends.
func GoSDKStdio(ctx context.Context) error {
	return goSDK(One).Run(ctx, &mcp.StdioTransport{})
}
