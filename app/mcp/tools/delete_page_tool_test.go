package tools_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcptest"

	"github.com/bowline-mcp/bowline/app/mcp/servers"
	"github.com/bowline-mcp/bowline/app/mcp/tools"
)

func TestDeletePageToolAsksFirst(t *testing.T) {
	mcptest.Tool(t, &tools.DeletePageTool{}, mcptest.Args{"pageId": "p1"}).AssertOK().AssertSee("confirmation_required", "p1")
}

func TestDeletePageToolDeletesAConfirmedPage(t *testing.T) {
	mcptest.Tool(t, &tools.DeletePageTool{}, mcptest.Args{"pageId": "p1", "confirmed": true}).
		AssertOK().
		AssertStructured(map[string]any{"status": "deleted", "pageId": "p1"})
}

func TestDeletePageToolAsksTheUserThroughTheClient(t *testing.T) {
	asked := mcptest.New(t, &servers.DemoServer{}).Can("elicitation").
		Tool(&tools.DeletePageTool{}, mcptest.Args{"pageId": "p1"}).
		AssertAsks("confirmed", "Delete page p1?")
	asked.Respond("confirmed", nil).AssertOK().AssertStructured(map[string]any{"status": "deleted", "pageId": "p1"})
	asked.Decline("confirmed").AssertOK().AssertSee("declined")
}
