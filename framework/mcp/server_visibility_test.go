package mcp_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// role is the value that the middleware of these tests stores in the context.
type role struct{}

func withRole(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), role{}, r.Header.Get("X-Role"))))
	})
}

type adminTool struct{ plain }

func (*adminTool) VisibleTo(ctx context.Context) bool { return ctx.Value(role{}) == "admin" }

func TestVisibleToHidesAndBlocksATool(t *testing.T) {
	t.Parallel()
	app := mcp.New(mcp.Config{})
	app.Router.Web("/mcp", boxOf(saying("first", ""), &adminTool{}, saying("last", ""))).Use(withRole)
	handler, err := app.Handler()
	if err != nil {
		t.Fatal(err)
	}
	modern := probeHandler(t, handler, "/mcp")
	legacy, _ := modern.as("2025-11-25")
	for _, p := range []*probe{modern, legacy} {
		// In both orders, so that the lists of the two aren't confused.
		for range 2 {
			p.header.Set("X-Role", "guest")
			if names := p.ask("tools/list", nil).names(); names != "first last" {
				t.Errorf("%s: a guest sees %s", p.version, names)
			}
			if r := p.call("admin", nil); r.err == nil || r.err.Code != -32602 || r.err.Message != `Unknown tool "admin"` {
				t.Errorf("%s: a guest's call returns %s", p.version, r.body)
			}
			p.header.Set("X-Role", "admin")
			if names := p.ask("tools/list", nil).names(); names != "first admin last" {
				t.Errorf("%s: an admin sees %s", p.version, names)
			}
			if text, isError := p.call("admin", nil).text(); isError || text != "ok" {
				t.Errorf("%s: an admin's call returns %q", p.version, text)
			}
		}
	}
}

// adminsOnlyGate hides the tools that embed it next to tools.Tool.
type adminsOnlyGate struct{}

func (adminsOnlyGate) VisibleTo(ctx context.Context) bool { return ctx.Value(role{}) == "admin" }

type (
	// GatedTool embeds a gate next to its base.
	GatedTool struct {
		tools.Tool
		adminsOnlyGate
	}

	// HouseTool embeds a base of its own, which embeds the gate.
	HouseTool struct{ house }
	house     struct{ adminTool }

	// A wrapped tool has the methods of another.
	wrapped struct{ servers.Tool }
)

func (*GatedTool) Description() string { return "A tool." }
func (*GatedTool) Handle(context.Context, *tools.Request) (tools.Result, error) {
	return tools.Text("ok"), nil
}

func (*wrapped) Name() string { return "wrapped-tool" }

func TestVisibleToMayComeFromAnEmbeddedType(t *testing.T) {
	t.Parallel()
	app := mcp.New(mcp.Config{})
	app.Router.Web("/mcp", boxOf(&GatedTool{}, &HouseTool{}, &wrapped{&adminTool{}}, saying("last", ""))).Use(withRole)
	handler, err := app.Handler()
	if err != nil {
		t.Fatal(err)
	}
	p := probeHandler(t, handler, "/mcp")
	for role, want := range map[string]string{"guest": "last", "admin": "gated house wrapped-tool last"} {
		p.header.Set("X-Role", role)
		if names := p.ask("tools/list", nil).names(); names != want {
			t.Errorf("a %s sees %s, want %s", role, names, want)
		}
	}
}

func TestHiddenToolsAreNotSuggested(t *testing.T) {
	t.Parallel()
	p := probeServer(t, mcp.Config{}, boxOf(&adminTool{}))
	if r := p.call("admn", nil); r.err == nil || strings.Contains(r.err.Message, "admin") {
		t.Errorf("got %s", r.body)
	}
}

type brokenGateTool struct{ plain }

func (*brokenGateTool) VisibleTo(context.Context) bool { panic("no session") }

// A hook that panics must not affect the process or the other tools.
func TestAToolWhoseHookPanicsIsHidden(t *testing.T) {
	t.Parallel()
	var log logbook
	p := probeServer(t, mcp.Config{Logger: log.logger()}, boxOf(saying("fine", "Fine."), &brokenGateTool{}))
	if names := p.ask("tools/list", nil).names(); names != "fine" {
		t.Errorf("the list is %s", names)
	}
	if r := p.call("broken-gate", nil); r.err == nil || r.err.Code != -32602 {
		t.Errorf("a call returns %s", r.body)
	}
	if text, _ := p.call("fine", nil).text(); text != "Fine." {
		t.Errorf("another tool returns %q", text)
	}
	if !strings.Contains(log.String(), "no session") || !strings.Contains(log.String(), "broken-gate") {
		t.Errorf("the log is\n%s", log.String())
	}
}

func TestAToolWhoseHookPanicsIsHiddenOnStdio(t *testing.T) {
	t.Parallel()
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + meta + `}}` + "\n")
	var out strings.Builder
	if err := mcp.ServeStdio(t.Context(), boxOf(saying("fine", ""), &brokenGateTool{}), in, &out); err != nil {
		t.Fatal(err)
	}
	if answer := out.String(); !strings.Contains(answer, `"name":"fine"`) || strings.Contains(answer, "broken-gate") {
		t.Errorf("got %s", answer)
	}
}
