package servers_test

import (
	"log/slog"
	"testing"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/mcptest"

	"github.com/bowline-mcp/bowline/examples/guardrails/servers"
	"github.com/bowline-mcp/bowline/examples/guardrails/tools"
)

func TestDeskServer(t *testing.T) {
	desk := &servers.DeskServer{Log: slog.New(slog.DiscardHandler)}
	mcptest.Check(t, desk)
	client := mcptest.New(t, desk)
	attic := mcptest.Args{"room": "attic"}

	client.Tool(&tools.CallPorterTool{}, attic).AssertOK().AssertSee("on the way to the attic")
	client.Tool(&tools.CallPorterTool{}, attic).AssertError("Too many requests: try again in")
	client.Tool(&tools.CallPorterTool{}, mcptest.Args{"room": "cellar"}).AssertError("The cellar is closed")

	client.Tool(&tools.BookRoomTool{}, attic).AssertError("Unknown tool")
	ann := exchange.WithPrincipal(t.Context(), exchange.Principal{ID: "ann"})
	client.With(ann).Tool(&tools.BookRoomTool{}, attic).AssertOK().AssertSee("The attic is yours, ann.")
}
