package tools_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcptest"

	"github.com/bowline-mcp/bowline/examples/everything/tools"
)

func TestSimpleTextToolReturnsText(t *testing.T) {
	mcptest.Tool(t, &tools.SimpleTextTool{}, nil).AssertOK().AssertSee("This is a line of text.")
}
