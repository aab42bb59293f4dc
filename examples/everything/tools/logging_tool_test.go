package tools_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcptest"

	"github.com/bowline-mcp/bowline/examples/everything/tools"
)

func TestLoggingToolAnswersAlsoWithoutAListener(t *testing.T) {
	if text := mcptest.Tool(t, &tools.LoggingTool{}, nil).AssertOK().Text(); text != "Three messages were logged." {
		t.Errorf("got %q", text)
	}
}
