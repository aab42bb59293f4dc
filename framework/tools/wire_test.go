package tools_test

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
	"github.com/bowline-mcp/bowline/internal/eventstream"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// quiet is a logger that writes with the test's output.
func quiet(t testing.TB) *slog.Logger {
	return slog.New(slog.NewTextHandler(t.Output(), nil))
}

// callOf is a tools/call of the newest version, as a client sends it.
func callOf(tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s,"_meta":{`+
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`, tool, arguments)
}

// post sends a message and returns the answer's status and body.
func post(t testing.TB, handler http.Handler, path string, header http.Header, body string) (int, string) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1"+path, strings.NewReader(body))
	r.Header = http.Header{
		"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"},
	}
	maps.Copy(r.Header, header)
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// call calls a tool through the engine, for the examples. It returns what the
// client gets, as lines.
func call(tool servers.Tool, arguments string) string {
	var log strings.Builder
	app := mcp.New(mcp.Config{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	app.Router.Web("/", &server{tools: []servers.Tool{tool}})
	handler, err := app.Handler()
	if err != nil {
		return err.Error()
	}
	name := naming.Tool.NameOf(tool)
	message := strings.Replace(callOf(name, arguments), `"_meta":{`, `"_meta":{"progressToken":1,`, 1)
	r := httptest.NewRequestWithContext(context.Background(), http.MethodPost, "http://127.0.0.1/", strings.NewReader(message))
	r.Header = http.Header{
		"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {name},
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	var lines []string
	answers := slices.Values([][]byte{w.Body.Bytes()})
	if w.Header().Get("Content-Type") == "text/event-stream" {
		answers = eventstream.NewReader(w.Body, 1<<20).Messages()
	}
	for data := range answers {
		var message struct {
			Method string            `json:"method"`
			Params codec.Value       `json:"params"`
			Result *tools.CallResult `json:"result"`
			Error  *exchange.Error   `json:"error"`
		}
		switch err := codec.Unmarshal(data, &message); {
		case err != nil:
			lines = append(lines, err.Error())
		case message.Method != "":
			lines = append(lines, message.Method+" "+string(message.Params))
		case message.Error != nil:
			lines = append(lines, fmt.Sprintf("JSON-RPC error %d: %s", message.Error.Code, message.Error.Message))
		default:
			for _, block := range message.Result.Content {
				lines = append(lines, block.Text)
			}
		}
	}
	return strings.Join(lines, "\n")
}
