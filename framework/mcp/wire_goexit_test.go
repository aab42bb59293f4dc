package mcp_test

import (
	"context"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// leavingServer has handlers that end their goroutine, as a call of t.FailNow in a
// handler would.
func leavingServer() *wireServer {
	server := newWireServer()
	server.tools = []servers.Tool{
		&wireEcho{},
		wireTool("leave", ``, func(context.Context, *tools.Request) (tools.Result, error) {
			runtime.Goexit()
			return nil, nil
		}),
	}
	server.boot = func(s *wireServer) error {
		return s.AddMethod("acme/leave", func(context.Context, *exchange.Request) (any, error) {
			runtime.Goexit()
			return nil, nil
		})
	}
	return server
}

func TestStdioAnswersForAHandlerThatEndsItsGoroutine(t *testing.T) {
	t.Parallel()
	p := startPipeline(t, mcp.Config{}, leavingServer())
	for range 3 {
		if got := readAnswer(t, p.ask(t, modernCall(`1`, "leave", `{}`))); !strings.Contains(got.text(), "The tool leave failed") {
			t.Errorf("the tool gets %+v, want that it failed", got)
		}
		method := strings.Replace(modernCall(`2`, "leave", `{}`), "tools/call", "acme/leave", 1)
		if got := readAnswer(t, p.ask(t, method)); got.Error == nil || got.Error.Code != -32603 {
			t.Errorf("the method gets %+v, want -32603", got)
		}
		if got := readAnswer(t, p.ask(t, modernCall(`3`, "echo", `{"message":"a"}`))); got.Result == nil {
			t.Errorf("the next call gets %+v", got)
		}
	}
	if log := p.log.String(); !strings.Contains(log, "runtime.Goexit") || !strings.Contains(log, "leave") {
		t.Errorf("the log doesn't say what happened:\n%s", log)
	}
}

func TestHTTPAnswersForAHandlerThatEndsItsGoroutine(t *testing.T) {
	t.Parallel()
	p := startProgram(t, mcp.Config{}, leavingServer())
	for range 3 {
		// net/http closes the connection when its goroutine ends, but sends the bytes
		// that were written.
		w, body := p.ask(t, `1`, "leave", `{}`)
		if w.StatusCode != http.StatusOK || !strings.Contains(readAnswer(t, body).text(), "The tool leave failed") {
			t.Errorf("the tool gets %d %s, want that it failed", w.StatusCode, body)
		}
	}
	if w, body := p.ask(t, `2`, "echo", `{"message":"a"}`); w.StatusCode != http.StatusOK {
		t.Errorf("the next call gets %d %s", w.StatusCode, body)
	}
}
