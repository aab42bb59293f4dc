package servers_test

import (
	"log/slog"
	"testing"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/mcptest"

	"github.com/bowline-mcp/bowline/examples/guardrails/servers"
	"github.com/bowline-mcp/bowline/examples/guardrails/tools"
)

func TestHelpdeskServer(t *testing.T) {
	helpdesk := &servers.HelpdeskServer{Log: slog.New(slog.DiscardHandler)}
	mcptest.Check(t, helpdesk)
	client := mcptest.New(t, helpdesk)
	printers := mcptest.Args{"queue": "printers"}

	client.Tool(&tools.OpenTicketTool{}, printers).AssertOK().AssertSee("in the queue printers")
	client.Tool(&tools.OpenTicketTool{}, printers).AssertError("Too many requests: try again in")
	client.Tool(&tools.OpenTicketTool{}, mcptest.Args{"queue": "billing"}).AssertError("The queue billing is closed")

	client.Tool(&tools.TakeTicketTool{}, printers).AssertError("Unknown tool")
	ann := exchange.WithPrincipal(t.Context(), exchange.Principal{ID: "ann"})
	client.With(ann).Tool(&tools.TakeTicketTool{}, printers).AssertOK().AssertSee("The next ticket in printers is yours, ann.")
}
