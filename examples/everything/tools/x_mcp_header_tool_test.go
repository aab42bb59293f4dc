package tools_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcptest"

	"github.com/bowline-mcp/bowline/examples/everything/tools"
)

func TestXMCPHeaderToolReturnsTheRegion(t *testing.T) {
	mcptest.Tool(t, &tools.XMCPHeaderTool{}, mcptest.Args{"region": "eu"}).AssertOK().AssertSee("eu")
	mcptest.Tool(t, &tools.XMCPHeaderTool{}, nil).AssertError("/region: required")
}
