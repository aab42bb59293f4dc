package mcp_test

import (
	"context"
	"os"
	"strings"

	"github.com/bowline-mcp/bowline/framework/mcp"
)

// A program that has its own command line serves a pair of streams. The client in this
// example has an older version, so it begins with a handshake.
func ExampleServeStdio() {
	client := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"now"}}
`)
	if err := mcp.ServeStdio(context.Background(), &ClockServer{}, client, os.Stdout); err != nil {
		panic(err)
	}
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"logging":{},"prompts":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"tools":{"listChanged":true}},"serverInfo":{"name":"clock","title":"Clock","version":"1.0.0"}}}
	// {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"noon"}]}}
}
