package mcp_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// talking is a server with a tool that logs at all levels, and a tool that logs
// attributes at the debug level.
func talking() servers.Interface {
	return boxOf(
		doing("levels", func(ctx context.Context, request *tools.Request) (tools.Result, error) {
			for _, level := range []slog.Level{
				slog.LevelDebug, slog.LevelInfo, exchange.LevelNotice, slog.LevelWarn, slog.LevelError,
				exchange.LevelCritical, exchange.LevelAlert, exchange.LevelEmergency,
			} {
				request.Log().Log(ctx, level, "said")
			}
			return tools.Text("done"), nil
		}),
		doing("data", func(_ context.Context, request *tools.Request) (tools.Result, error) {
			request.Log().With("page", 7).WithGroup("disk").Error("full", "free", 0)
			return tools.Text("done"), nil
		}),
	)
}

// levels returns the levels of the log messages of a reply.
func (r reply) levels() string {
	r.t.Helper()
	var levels []string
	for _, note := range r.notes {
		_, rest, ok := strings.Cut(note, `"method":"notifications/message","params":{"level":"`)
		if !ok {
			r.t.Fatalf("this is no log message: %s", note)
		}
		level, _, _ := strings.Cut(rest, `"`)
		levels = append(levels, level)
	}
	return strings.Join(levels, " ")
}

const allLevels = "debug info notice warning error critical alert emergency"

func TestAModernClientSetsTheLogLevelInTheRequest(t *testing.T) {
	t.Parallel()
	p := probeServer(t, mcp.Config{}, talking())
	for asked, want := range map[string]string{
		"": "", "debug": allLevels, "warning": "warning error critical alert emergency", "emergency": "emergency",
		"warn": "warning error critical alert emergency",
	} {
		meta := params{}
		if asked != "" {
			meta["io.modelcontextprotocol/logLevel"] = asked
		}
		r := p.ask("tools/call", params{"name": "levels", "arguments": params{}, "_meta": meta})
		if got := r.levels(); got != want {
			t.Errorf("a client that asked for %q gets %q, want %q", asked, got, want)
		}
	}
	for _, wrong := range []any{"loud", 3, "Debug"} {
		r := p.ask("tools/call", params{"name": "levels", "arguments": params{}, "_meta": params{"io.modelcontextprotocol/logLevel": wrong}})
		if r.err == nil || r.err.Code != -32602 || !strings.Contains(r.err.Message, "notice") {
			t.Errorf("the level %v gets %s", wrong, r.body)
		}
	}
}

func TestAnOlderClientSetsTheLogLevelOfItsSession(t *testing.T) {
	t.Parallel()
	modern := probeServer(t, mcp.Config{}, talking())
	for _, version := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
		p, _ := modern.as(version)
		other, _ := modern.as(version)
		if got := p.call("levels", nil).levels(); got != "info notice warning error critical alert emergency" {
			t.Errorf("%s: before a level is set, the messages are %q", version, got)
		}
		if r := p.ask("logging/setLevel", params{"level": "debug"}); r.result != "{}" {
			t.Errorf("%s: logging/setLevel gets %s", version, r.body)
		}
		if got := p.call("levels", nil).levels(); got != allLevels {
			t.Errorf("%s: at debug the messages are %q", version, got)
		}
		if got := other.call("levels", nil).levels(); got != "info notice warning error critical alert emergency" {
			t.Errorf("%s: another session gets %q", version, got)
		}
		for _, wrong := range []params{nil, {}, {"level": "loud"}, {"level": 7}} {
			if r := p.ask("logging/setLevel", wrong); r.err == nil || r.err.Code != -32602 || r.status != http.StatusOK {
				t.Errorf("%s: logging/setLevel of %v gets %d %s", version, wrong, r.status, r.body)
			}
		}
	}
}

func TestALogMessageHasTheNameOfTheToolAndItsAttributes(t *testing.T) {
	t.Parallel()
	p := probeServer(t, mcp.Config{}, talking())
	r := p.ask("tools/call", params{"name": "data", "arguments": params{}, "_meta": params{"io.modelcontextprotocol/logLevel": "error"}})
	want := `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","logger":"data","data":{"msg":"full","page":7,"disk":{"free":0}}}}`
	if len(r.notes) != 1 || r.notes[0] != want {
		t.Errorf("got %s, want %s", r.notes, want)
	}
}

func TestAClientWithoutASessionHasNoLogging(t *testing.T) {
	t.Parallel()
	modern := probeServer(t, mcp.Config{Sessions: mcp.Off}, talking())
	p, welcome := modern.as("2025-06-18")
	if strings.Contains(welcome.result, "logging") {
		t.Errorf("logging is offered: %s", welcome.result)
	}
	if r := p.ask("logging/setLevel", params{"level": "debug"}); r.err == nil || r.err.Code != -32601 {
		t.Errorf("logging/setLevel gets %s", r.body)
	}
	if r := p.call("levels", nil); r.notes != nil {
		t.Errorf("got %s", r.notes)
	}
}

// whoami returns the data that package exchange has about the client.
func whoami() servers.Interface {
	return boxOf(doing("whoami", func(ctx context.Context, request *tools.Request) (tools.Result, error) {
		request.Set("count", 1)
		trace, capabilities := request.Trace(), request.Capabilities()
		return tools.Text(fmt.Sprintf("%s %s session:%t trace:%s form:%t roots:%t %v %s", request.Principal().ID, exchange.PrincipalFrom(ctx).ID,
			request.SessionID() != "", trace.Parent, capabilities.Form, capabilities.Roots, request.Value("count"), request.Client().Name)), nil
	}))
}

func TestAHandlerGetsTheClientInBothEras(t *testing.T) {
	t.Parallel()
	app := mcp.New(mcp.Config{})
	app.Router.Web("/mcp", whoami()).Use(func(next http.Handler) http.Handler { // a guard
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(w, r.WithContext(exchange.WithPrincipal(r.Context(), exchange.Principal{ID: "ada"})))
		})
	})
	handler, err := app.Handler()
	if err != nil {
		t.Fatal(err)
	}
	modern := probeHandler(t, handler, "/mcp")
	legacy, _ := modern.as("2025-06-18")
	modern.header.Set("Mcp-Session-Id", "of another time") // which means nothing there
	for _, test := range []struct {
		p    *probe
		want string
	}{
		{modern, "ada ada session:false trace:00-1 form:true roots:false 1 probe"},
		{legacy, "ada ada session:true trace:00-1 form:false roots:false 1 probe"},
	} {
		r := test.p.ask("tools/call", params{"name": "whoami", "arguments": params{}, "_meta": params{
			"traceparent": "00-1", "io.modelcontextprotocol/clientCapabilities": params{"elicitation": params{}},
		}})
		if got, _ := r.text(); got != test.want {
			t.Errorf("%s: got %q, want %q", test.p.version, got, test.want)
		}
	}
	anonymous := probeServer(t, mcp.Config{}, whoami())
	if got, _ := anonymous.call("whoami", nil).text(); !strings.HasPrefix(got, "  session:false") {
		t.Errorf("without a guard the principal is %q", got)
	}
}

// The description of an older client in a later request is ignored.
func TestAnOlderClientDescribesItselfInInitialize(t *testing.T) {
	t.Parallel()
	p := probeServer(t, mcp.Config{}, whoami())
	p.version = "2025-11-25"
	welcome := p.ask("initialize", params{
		"protocolVersion": p.version, "capabilities": params{"elicitation": params{}, "roots": params{}},
		"clientInfo": params{"name": "editor", "version": "7"},
	})
	p.header.Set("Mcp-Session-Id", welcome.header.Get("Mcp-Session-Id"))
	r := p.ask("tools/call", params{"name": "whoami", "arguments": params{}, "_meta": params{
		"io.modelcontextprotocol/clientInfo": params{"name": "other"}, "io.modelcontextprotocol/clientCapabilities": params{},
	}})
	if got, _ := r.text(); got != "  session:true trace: form:true roots:true 1 editor" {
		t.Errorf("got %s", r.body)
	}
}
