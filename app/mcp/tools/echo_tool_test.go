package tools_test

import (
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcptest"

	"github.com/bowline-mcp/bowline/app/mcp/tools"
)

func TestEchoToolRepeatsTheMessage(t *testing.T) {
	mcptest.Tool(t, &tools.EchoTool{}, mcptest.Args{"message": "Hello."}).
		AssertOK().
		AssertSee("Hello.")
}

func TestEchoToolLimitsAMessageTo10000Characters(t *testing.T) {
	mcptest.Tool(t, &tools.EchoTool{}, nil).AssertError("/message: required")
	mcptest.Tool(t, &tools.EchoTool{}, mcptest.Args{"message": strings.Repeat("é", 10_000)}).AssertOK()
	mcptest.Tool(t, &tools.EchoTool{}, mcptest.Args{"message": strings.Repeat("é", 10_001)}).AssertError("at most 10000 characters")
}
