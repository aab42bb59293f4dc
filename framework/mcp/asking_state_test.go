package mcp_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/ask"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// A deskServer has a tool with the name of a prompt of booking, and tools that ask in
// unusual ways.
type deskServer struct{ booking }

func (d *deskServer) Tools() []servers.Tool {
	return []servers.Tool{
		wireTool("letter", ``, func(ctx context.Context, request *tools.Request) (tools.Result, error) {
			answer, err := request.Ask(ctx, "name", nameForm())
			if err != nil {
				return nil, err
			}
			return tools.Text("a letter of " + answer.String("name")), nil
		}),
		wireTool("hoard", `{"type":"object","properties":{"bytes":{"type":"integer"}}}`, func(ctx context.Context, request *tools.Request) (tools.Result, error) {
			kept, err := exchange.Once(request, "kept", func() (string, error) { return strings.Repeat("a", request.Int("bytes")), nil })
			if err != nil {
				return nil, err
			}
			if _, err = request.Ask(ctx, "name", nameForm()); err != nil {
				return nil, err
			}
			return tools.Text(fmt.Sprint(len(kept))), nil
		}),
		wireTool("pay", ``, func(ctx context.Context, request *tools.Request) (tools.Result, error) {
			_, err := request.AskAll(ctx, map[string]ask.Question{"form": nameForm(), "page": ask.URL("Pay there.", "https://example.com/pay")})
			return nil, err
		}),
	}
}

// The two have the same name, and the same question.
func TestTheStateOfAToolIsInvalidForAPromptOfTheSameName(t *testing.T) {
	t.Parallel()
	p := probeServer(t, mcp.Config{}, &deskServer{})
	methods := []string{"tools/call", "prompts/get"}
	for i, method := range methods {
		state := p.ask(method, can(able(), params{"name": "letter"})).round(t).RequestState
		given := can(able(), params{"name": "letter", "requestState": state, "inputResponses": params{"name": accept(params{"name": "Ada"})}})
		if r := p.ask(methods[1-i], given); r.err == nil || !strings.Contains(r.err.Message, "requestState doesn't belong to this request") {
			t.Errorf("%s takes the state of %s: %s", methods[1-i], method, r.body)
		}
		if r := p.ask(method, given); r.err != nil || !strings.Contains(r.result, "Ada") {
			t.Errorf("%s does not take its own state: %s", method, r.body)
		}
	}
}

func TestAStateThatIsTooLargeEndsTheCall(t *testing.T) {
	t.Parallel()
	log := &logBuffer{}
	p := probeServer(t, mcp.Config{Logger: slog.New(slog.NewTextHandler(log, nil))}, &deskServer{})
	hoard := func(bytes int) reply {
		return p.ask("tools/call", can(able(), params{"name": "hoard", "arguments": params{"bytes": bytes}}))
	}
	hoard(250 << 10).round(t)
	const line = "keep less, or ask fewer questions in one call"
	if n := log.count(line); n != 0 {
		t.Errorf("what is not too much is logged:\n%s", log)
	}
	r := hoard(256 << 10)
	if r.err == nil || r.err.Code != -32603 || r.err.Message != "The answers and kept values of this call are more than 262144 bytes together" {
		t.Errorf("got %s", r.body)
	}
	if n := log.count(line, "level=ERROR", "tool=hoard"); n != 1 {
		t.Errorf("%d lines of the log say so:\n%.2000s", n, log)
	}
}

// Only 2025-11-25 defines the ID of an elicitation, and only for a URL.
func TestAnElicitationByURLHasAnIDWhereTheVersionRequiresOne(t *testing.T) {
	t.Parallel()
	p := startPipeline(t, mcp.Config{}, &deskServer{})
	p.send(t, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{"form":{},"url":{}}},"clientInfo":{"name":"c","version":"1"}}}`)
	p.next(t)
	ids := map[string]bool{}
	for range 2 {
		p.send(t, legacyCall(`"a"`, "pay", `{}`))
		for _, mode := range []string{"form", "url"} {
			var asked struct {
				ID     codec.Value `json:"id"`
				Params struct {
					Mode string `json:"mode"`
					ID   string `json:"elicitationId"`
				} `json:"params"`
			}
			if err := codec.Unmarshal([]byte(p.next(t)), &asked); err != nil {
				t.Fatal(err)
			}
			if asked.Params.Mode != mode || (asked.Params.ID != "") != (mode == "url") || ids[asked.Params.ID] && mode == "url" {
				t.Errorf("a question of the mode %s is asked as %+v", mode, asked.Params)
			}
			ids[asked.Params.ID] = true
			p.send(t, `{"jsonrpc":"2.0","id":`+string(asked.ID)+`,"result":{"action":"decline"}}`)
		}
		p.next(t)
	}
	modern := probeServer(t, mcp.Config{}, &deskServer{}).ask("tools/call", can(able(), params{"name": "pay"}))
	if asked := modern.round(t).InputRequests; len(asked) != 2 || strings.Contains(modern.body, "elicitationId") {
		t.Errorf("a modern client is asked %s", modern.body)
	}
}
