package servers_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/mcptest"
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// MyExampleTool is the first tool in the guide of Laravel MCP, ported method by method: a
// description, a schema with two parameters, and a default in the handler.
type MyExampleTool struct{ tools.Tool }

func (*MyExampleTool) Description() string { return "Shows how a tool is written." }

func (*MyExampleTool) Schema(s *schema.Object) {
	s.String("param1").Description("The first parameter.").Required()
	s.Integer("param2").Description("The second parameter.")
}

func (*MyExampleTool) Handle(_ context.Context, request *tools.Request) (tools.Result, error) {
	return tools.Text(fmt.Sprintf("%s and %d", request.String("param1"), request.Int("param2", 7))), nil
}

// ExampleServer is the server of the same guide, property by property.
type ExampleServer struct{ servers.Server }

func (*ExampleServer) Name() string          { return "Example Server" }
func (*ExampleServer) Version() string       { return "0.0.1" }
func (*ExampleServer) Instructions() string  { return "Call the example." }
func (*ExampleServer) Tools() []servers.Tool { return []servers.Tool{&MyExampleTool{}} }

func TestAToolOfLaravelMCPIsPortedMethodByMethod(t *testing.T) {
	t.Parallel()
	client := mcptest.New(t, &ExampleServer{})
	for _, test := range []struct {
		args mcptest.Args
		want string
	}{
		{mcptest.Args{"param1": "one"}, "one and 7"},
		{mcptest.Args{"param1": "one", "param2": 2}, "one and 2"},
	} {
		if got := client.Call("my-example", test.args).AssertOK().Text(); got != test.want {
			t.Errorf("%v: got %q, want %q", test.args, got, test.want)
		}
	}
	client.Call("my-example", mcptest.Args{"param2": 2}).AssertError("/param1: required")
}

func TestAServerOfLaravelMCPIsPortedPropertyByProperty(t *testing.T) {
	t.Parallel()
	handler := mcp.Handler(&ExampleServer{})
	for method, wants := range map[string][]string{
		"server/discover": {`"io.modelcontextprotocol/serverInfo":{"name":"Example Server",`, `"version":"0.0.1"`, `"instructions":"Call the example."`, `"tools":{"listChanged":true}}`},
		"tools/list": {`"tools":[{"name":"my-example","title":"My Example","description":"Shows how a tool is written.","inputSchema":{"type":"object","properties":{` +
			`"param1":{"type":"string","description":"The first parameter."},"param2":{"type":"integer","description":"The second parameter."}},` +
			`"required":["param1"],"additionalProperties":false}}]`},
	} {
		body := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{"_meta":{` +
			`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1/", strings.NewReader(body))
		r.Header = http.Header{"Content-Type": {"application/json"}, "Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {method}}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		for _, want := range wants {
			if !strings.Contains(w.Body.String(), want) {
				t.Errorf("%s: got\n%s\nwant it to contain\n%s", method, w.Body, want)
			}
		}
	}
}
