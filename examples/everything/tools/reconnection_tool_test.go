package tools_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcptest"

	"github.com/bowline-mcp/bowline/examples/everything/tools"
)

// A client that can't come back gets the answer where it waits.
func TestReconnectionToolAnswersAllClients(t *testing.T) {
	mcptest.Tool(t, &tools.ReconnectionTool{}, nil).AssertOK().AssertSee("The work is done")
}
