package tools_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcptest"

	"github.com/bowline-mcp/bowline/app/mcp/tools"
)

func TestChatStreamingToolSendsAMessageWordByWord(t *testing.T) {
	mcptest.Tool(t, &tools.ChatStreamingTool{}, mcptest.Args{"message": "One two"}).
		AssertNotified("chat/token", map[string]any{"token": "One "}, map[string]any{"token": "two "}).
		AssertNotified("notifications/progress",
			map[string]any{"progressToken": "mcptest", "progress": 1, "total": 2},
			map[string]any{"progressToken": "mcptest", "progress": 2, "total": 2}).
		AssertOK().
		AssertSee("Message streamed successfully.")
}

func TestChatStreamingToolHasADefaultMessage(t *testing.T) {
	mcptest.Tool(t, &tools.ChatStreamingTool{}, nil).AssertOK().AssertNotified("chat/token",
		map[string]any{"token": "Here's "}, map[string]any{"token": "a "}, map[string]any{"token": "message "}, map[string]any{"token": "from "},
		map[string]any{"token": "the "}, map[string]any{"token": "chat "}, map[string]any{"token": "bot. "})
}
