package tools_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcptest"

	"github.com/bowline-mcp/bowline/examples/everything/tools"
)

func TestErrorHandlingToolTellsTheModelWhatToDo(t *testing.T) {
	result := mcptest.Tool(t, &tools.ErrorHandlingTool{}, nil).AssertError("Call another one.")
	if result.Err != nil {
		t.Errorf("got the JSON-RPC error %v, want a result that is an error", result.Err)
	}
}
