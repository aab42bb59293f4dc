package tools_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcptest"

	"github.com/bowline-mcp/bowline/app/mcp/tools"
)

func TestCalculateTool(t *testing.T) {
	for _, tt := range []struct {
		operation string
		want      float64
	}{
		{"add", 9}, {"subtract", 5}, {"multiply", 14}, {"divide", 3.5},
	} {
		mcptest.Tool(t, &tools.CalculateTool{}, mcptest.Args{"operation": tt.operation, "a": 7, "b": 2}).
			AssertOK().
			AssertStructured(map[string]any{"result": tt.want})
	}
}

func TestCalculateToolReportsDivisionByZeroAndOverflow(t *testing.T) {
	mcptest.Tool(t, &tools.CalculateTool{}, mcptest.Args{"operation": "divide", "a": 1, "b": 0}).AssertError("Division by zero")
	mcptest.Tool(t, &tools.CalculateTool{}, mcptest.Args{"operation": "multiply", "a": 1e308, "b": 10}).AssertError("Overflow")
	mcptest.Tool(t, &tools.CalculateTool{}, mcptest.Args{"operation": "root", "a": 1, "b": 2}).AssertError("/operation")
}
