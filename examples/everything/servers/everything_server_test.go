package servers_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/mcptest"

	"github.com/bowline-mcp/bowline/examples/everything/servers"
)

func TestEverythingServer(t *testing.T) { mcptest.Check(t, &servers.EverythingServer{}) }

// Bad arguments are for the model to mend, so they are never a JSON-RPC error.
func TestEveryToolAnswersACallWithoutArguments(t *testing.T) {
	server := &servers.EverythingServer{}
	client := mcptest.New(t, server)
	for _, tool := range server.Tools() {
		if result := client.Tool(tool, nil); result.Err != nil {
			t.Errorf("%s: got the JSON-RPC error %v, want a result", tool.Name(), result.Err)
		}
	}
}

func TestResourcesAndPromptsAreEmptyLists(t *testing.T) {
	handler := mcp.Handler(&servers.EverythingServer{})
	for method, list := range map[string]string{
		"resources/list":           "resources",
		"resources/templates/list": "resourceTemplates",
		"prompts/list":             "prompts",
	} {
		body := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{"_meta":{` +
			`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost:3000/mcp", strings.NewReader(body))
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", "application/json, text/event-stream")
		request.Header.Set("Mcp-Protocol-Version", "2026-07-28")
		request.Header.Set("Mcp-Method", method)
		response := httptest.NewRecorder()
		handler.ServeHTTP(response, request)

		var answer struct {
			Result map[string]any `json:"result"`
		}
		if err := json.Unmarshal(response.Body.Bytes(), &answer); err != nil {
			t.Fatalf("%s: %v in %s", method, err, response.Body)
		}
		items, ok := answer.Result[list].([]any)
		if !ok || len(items) != 0 || answer.Result["ttlMs"] != 0.0 || answer.Result["cacheScope"] != "private" {
			t.Errorf("%s: got %s, want %s to be empty, with ttlMs 0 and cacheScope private", method, response.Body, list)
		}
	}
}
