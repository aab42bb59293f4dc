package tools_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcptest"

	"github.com/bowline-mcp/bowline/examples/everything/tools"
)

func TestProgressToolReportsThreeSteps(t *testing.T) {
	mcptest.Tool(t, &tools.ProgressTool{}, nil).
		AssertNotified("notifications/progress",
			map[string]any{"progressToken": "mcptest", "progress": 0, "total": 100},
			map[string]any{"progressToken": "mcptest", "progress": 50, "total": 100},
			map[string]any{"progressToken": "mcptest", "progress": 100, "total": 100}).
		AssertOK().
		AssertSee("done")
}
