package mcp_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// ClockServer has one tool.
type ClockServer struct{ servers.Server }

// Version returns the server's version.
func (*ClockServer) Version() string { return "1.0.0" }

// Tools returns the server's tools.
func (*ClockServer) Tools() []servers.Tool {
	return []servers.Tool{
		tools.Func("now", "Tells the time.", func(context.Context, struct{}) (string, error) { return "noon", nil }),
	}
}

// A program that has its own HTTP server doesn't need an App.
func ExampleHandler() {
	mux := http.NewServeMux()
	mux.Handle("/mcp", mcp.Handler(&ClockServer{}))
	program := httptest.NewServer(mux)
	defer program.Close()

	request, _ := http.NewRequest(http.MethodPost, program.URL+"/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call",`+
		`"params":{"name":"now","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`))
	request.Header = http.Header{"Content-Type": {"application/json"}, "Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"now"}}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = answer.Body.Close() }()
	body, _ := io.ReadAll(answer.Body)
	fmt.Println(answer.StatusCode, string(body))
	// Output:
	// 200 {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[{"type":"text","text":"noon"}],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"clock","title":"Clock","version":"1.0.0"}}}}
}
