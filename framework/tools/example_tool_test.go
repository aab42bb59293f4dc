package tools_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/bowline-mcp/bowline/framework/annotations"
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// EchoTool has the name echo and the title Echo.
type EchoTool struct {
	tools.Tool
	annotations.IsReadOnly
}

// Description tells the model what the tool does.
func (*EchoTool) Description() string { return "Repeats a message." }

// Schema describes the arguments. They are checked before Handle is called.
func (*EchoTool) Schema(s *schema.Object) {
	s.String("message").Description("The message to repeat.").Required()
	s.Integer("times").Min(1).Max(3).Default(1)
}

// Handle runs the tool.
func (*EchoTool) Handle(_ context.Context, request *tools.Request) (tools.Result, error) {
	return tools.Text(strings.Repeat(request.String("message"), request.Int("times"))), nil
}

// A tool that embeds tools.Tool describes its arguments by calls.
func Example_tool() {
	fmt.Println(call(&EchoTool{}, `{"message": "ho"}`))
	fmt.Println(call(&EchoTool{}, `{"message": "ho", "times": 3}`))
	fmt.Println(call(&EchoTool{}, `{"mesage": "ho"}`))
	// Output:
	// ho
	// hohoho
	// The arguments of echo are not valid:
	// - /mesage: unknown property; did you mean "message"?
	// - /message: required, a string
}
