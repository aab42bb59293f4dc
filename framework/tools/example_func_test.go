package tools_test

import (
	"context"
	"fmt"

	"github.com/bowline-mcp/bowline/framework/tools"
)

// Sum is the arguments of a function that adds.
type Sum struct {
	A int `json:"a"`
	B int `json:"b,omitempty"` // may be left out
}

// Total is what it returns, and the schema of that.
type Total struct {
	Sum int `json:"sum"`
}

// A function is a tool, too. Its schemas are its types.
func ExampleFunc() {
	add := tools.Func("add", "Adds two numbers.", func(_ context.Context, in Sum) (Total, error) {
		return Total{in.A + in.B}, nil
	})
	fmt.Println(call(add, `{"a": 1, "b": 2}`))
	fmt.Println(call(add, `{"a": 1}`))
	fmt.Println(call(add, `{"a": "one"}`))
	// Output:
	// {"sum":3}
	// {"sum":1}
	// The arguments of add are not valid:
	// - /a: must be an integer, got a string
}
