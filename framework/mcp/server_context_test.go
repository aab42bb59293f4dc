package mcp_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// The values that middleware stores in the context belong to that request, even in a
// session, whose requests may come from different people.
func TestValuesOfMiddlewareReachHandlers(t *testing.T) {
	t.Parallel()
	box := boxOf(doing("who", func(ctx context.Context, _ *tools.Request) (tools.Result, error) {
		return tools.Text(fmt.Sprint(ctx.Value(role{}))), nil
	}))
	box.boot = func(context.Context) error {
		return box.AddMethod("acme/who", func(ctx context.Context, _ *exchange.Request) (any, error) {
			return map[string]any{"role": ctx.Value(role{})}, nil
		})
	}
	app := mcp.New(mcp.Config{})
	app.Router.Web("/mcp", box).Use(withRole)
	handler, err := app.Handler()
	if err != nil {
		t.Fatal(err)
	}
	modern := probeHandler(t, handler, "/mcp")
	legacy, _ := modern.as("2025-06-18")
	for _, p := range []*probe{modern, legacy} {
		for _, want := range []string{"guest", "admin"} {
			p.header.Set("X-Role", want)
			if text, isError := p.call("who", nil).text(); isError || text != want {
				t.Errorf("%s: the tool sees %q, want %q", p.version, text, want)
			}
			var got struct {
				Role string `json:"role"`
			}
			if p.ask("acme/who", nil).decode(&got); got.Role != want {
				t.Errorf("%s: the method sees %q, want %q", p.version, got.Role, want)
			}
		}
	}
}
