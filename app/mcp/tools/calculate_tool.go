package tools

import (
	"context"
	"math"

	"github.com/bowline-mcp/bowline/framework/annotations"
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// CalculateTool does arithmetic with two numbers.
type CalculateTool struct {
	tools.Tool
	annotations.IsReadOnly
}

// Description tells the model what the tool does.
func (*CalculateTool) Description() string {
	return "Adds, subtracts, multiplies or divides two numbers."
}

// Schema describes the tool's arguments.
func (*CalculateTool) Schema(s *schema.Object) {
	s.String("operation").Description("The operation.").
		Enum("add", "subtract", "multiply", "divide").Required()
	s.Number("a").Description("The first number.").Required()
	s.Number("b").Description("The second number.").Required()
}

// OutputSchema describes the tool's structured result.
func (*CalculateTool) OutputSchema(s *schema.Object) {
	s.Number("result").Required()
}

// Handle runs the tool.
func (*CalculateTool) Handle(ctx context.Context, request *tools.Request) (tools.Result, error) {
	a, b := request.Float("a"), request.Float("b")
	var result float64
	switch request.String("operation") {
	case "add":
		result = a + b
	case "subtract":
		result = a - b
	case "multiply":
		result = a * b
	case "divide":
		if b == 0 {
			return tools.Error("Division by zero: b must not be 0."), nil
		}
		result = a / b
	}
	if math.IsInf(result, 0) || math.IsNaN(result) {
		return tools.Error("Overflow: the result is too large for a number."), nil
	}
	return tools.Structured(map[string]float64{"result": result}), nil
}
