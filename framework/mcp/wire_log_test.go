package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/resources"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

func TestEachCallIsOneLineOfTheLog(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	config := mcp.Config{Logger: slog.New(slog.NewJSONHandler(&log, nil))}
	client := &wireClient{handler: wireHandler(t, config, newWireServer())}
	old := client.open(t, "2025-03-26")
	client.call(t.Context(), `1`, "echo", `{"message":"secret"}`)
	client.call(t.Context(), `2`, "echo", `{}`)
	client.call(t.Context(), `3`, "boom", `{}`)
	old.call(t.Context(), `4`, "stream", `{}`)
	client.call(t.Context(), `5`, "nothing", `{}`)
	want := []string{
		"echo ok 2026-07-28", "echo refused 2026-07-28", "boom panicked 2026-07-28", "stream ok 2025-03-26", " refused 2026-07-28",
	}
	var got []string
	seen := map[string]bool{}
	for line := range strings.Lines(log.String()) {
		var entry struct {
			Msg, Method, Tool, Outcome, Version, Server string
			Request, Principal, Client                  string
		}
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if entry.Msg != "call" {
			continue
		}
		if entry.Request == "" || entry.Principal != "anonymous" || entry.Client == "" || seen[entry.Request] || entry.Method+entry.Tool == "" || entry.Server != "fixture" {
			t.Errorf("the line is %s", line)
		}
		seen[entry.Request] = true
		got = append(got, entry.Tool+" "+entry.Outcome+" "+entry.Version)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the log has\n%q, want\n%q", got, want)
	}
	if strings.Contains(log.String(), `"secret"`) {
		t.Errorf("the log has an argument:\n%s", log.String())
	}
}

// Methods that the framework calls between calls may panic too. That is one failed
// request, which a process on stdio survives.
func TestAPanicOfVisibleToHidesTheTool(t *testing.T) {
	t.Parallel()
	server := newWireServer()
	server.tools = []servers.Tool{&wireEcho{}, &moodyTool{}}
	p := startPipeline(t, mcp.Config{}, server)
	for _, message := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + modernMeta + `}}`,
		modernCall(`2`, "moody", `{}`),
		modernCall(`3`, "nothing", `{}`),
	} {
		if got := p.ask(t, message); strings.Contains(got, "moody\",\"") || strings.Contains(got, "secret") {
			t.Errorf("%s gets %s, want that the tool is hidden", message, got)
		}
	}
	if p.log.count("secret mood", "moody") == 0 {
		t.Errorf("the log doesn't say why:\n%s", p.log)
	}
}

type moodyTool struct{ tools.Tool }

func (*moodyTool) Name() string                   { return "moody" }
func (*moodyTool) Description() string            { return "Moody." }
func (*moodyTool) VisibleTo(context.Context) bool { panic("secret mood") }
func (*moodyTool) Handle(context.Context, *tools.Request) (tools.Result, error) {
	return tools.Text(""), nil
}

// hasty is a server of documents that doesn't wait for answers to its questions.
type hasty struct{ servers.Server }

func (*hasty) Resources() []servers.Resource {
	return []servers.Resource{resources.New(resources.Definition{URI: "docs://{id}", Name: "doc"}, func(ctx context.Context, request *resources.Request) (resources.Result, error) {
		_, _ = request.Ask(ctx, "name", nameForm())
		return resources.Text("text"), nil
	})}
}

// Anybody can send a method or a URI of 4 MiB.
func TestALineOfTheLogIsShortForEveryRequest(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	handler := wireHandler(t, mcp.Config{Logger: slog.New(slog.NewJSONHandler(&log, nil))}, &hasty{})
	old, long := (&wireClient{handler: handler}).open(t, "2025-11-25"), strings.Repeat("x", 100_000)
	asks := probeHandler(t, handler, "/mcp")
	asks.header.Set("Mcp-Name", "docs://"+long[:1500])
	for what, send := range map[string]func(){
		"method": func() { old.post(t.Context(), `{"jsonrpc":"2.0","id":1,"method":"`+long[:99]+"é"+long+`"}`, "") },
		"URI":    func() { asks.ask("resources/read", can(able(), params{"uri": "docs://" + long[:1500]})) },
	} {
		log.Reset()
		if send(); log.Len() > 800 || !strings.Contains(log.String(), "xx…") {
			t.Errorf("after a long %s, the log has %d bytes: %.300s", what, log.Len(), log.String())
		}
	}
}
