package contenders

import (
	"context"
	"net/http"

	"go.uber.org/zap"
	trpc "trpc.group/trpc-go/trpc-mcp-go"

	"github.com/bowline-mcp/bowline/peers/bench/wire"
)

// TRPC serves trpc-mcp-go with sessions. It validates nothing and supports no version after
// 2025-03-26, so it is only in the legacy rows.
func TRPC(kit Kit, path string) http.Handler {
	server := trpc.NewServer(name, version, trpc.WithServerPath(path), trpc.WithServerLogger(zap.NewNop().Sugar()),
		trpc.WithPostSSEEnabled(false), trpc.WithGetSSEEnabled(false))
	for _, tool := range kit.echoNames() {
		server.RegisterTool(
			trpc.NewTool(tool, trpc.WithDescription(description), trpc.WithInputStruct[wire.EchoIn](), trpc.WithOutputStruct[wire.EchoOut]()),
			trpc.NewTypedToolHandler(func(ctx context.Context, _ *trpc.CallToolRequest, in wire.EchoIn) (wire.EchoOut, error) {
				return echo(ctx, in)
			}))
	}
	return server.HTTPHandler()
}
