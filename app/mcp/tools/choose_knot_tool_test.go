package tools_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcptest"

	"github.com/bowline-mcp/bowline/app/mcp/servers"
	"github.com/bowline-mcp/bowline/app/mcp/tools"
)

func TestChooseKnotToolAsksWhatTheKnotIsFor(t *testing.T) {
	asked := mcptest.New(t, &servers.DemoServer{}).Can("elicitation").
		Tool(&tools.ChooseKnotTool{}, nil).
		AssertAsks("use", "What is the knot for?")
	asked.Respond("use", mcptest.Args{"use": "bowline"}).AssertOK().AssertSee("Tie a bowline.", "demo://knots/bowline")
	asked.Respond("use", mcptest.Args{"use": "clove-hitch", "wet": true}).AssertOK().AssertSee("a wet rope slips")
	asked.Respond("use", mcptest.Args{"use": "granny"}).AssertError("/content/use: must be one of")
	asked.Decline("use").AssertOK().AssertSee("did not say")
	asked.Cancel("use").AssertOK().AssertSee("did not say")
}

func TestChooseKnotToolRequiresAClientThatCanAsk(t *testing.T) {
	mcptest.Tool(t, &tools.ChooseKnotTool{}, nil).AssertError("elicitation")
}
