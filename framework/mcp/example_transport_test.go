package mcp_test

import (
	"context"
	"fmt"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/transport"
)

// A transport carries messages between a client and the server. In this example both ends
// are in one process; examples/transport uses a Unix socket.
func ExampleServeTransport() {
	ctx := context.Background()
	client, server := transport.Pair()
	ended := make(chan error)
	go func() { ended <- mcp.ServeTransport(ctx, &ClockServer{}, server) }()

	answers := make(chan string, 1)
	_ = client.Start(ctx, transport.Handlers{Message: func(message []byte) { answers <- string(message) }})
	_ = client.Send(ctx, []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"now",`+
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`))
	fmt.Println(<-answers)

	_ = client.Close()
	fmt.Println(<-ended)
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[{"type":"text","text":"noon"}],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"clock","title":"Clock","version":"1.0.0"}}}}
	// <nil>
}
