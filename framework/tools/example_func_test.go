package tools_test

import (
	"context"
	"fmt"

	"github.com/bowline-mcp/bowline/framework/tools"
)

// Sum has the arguments of a function that adds.
type Sum struct {
	A int `json:"a"`
	B int `json:"b,omitempty"` // optional
}

// Total is its result, with the output schema.
type Total struct {
	Sum int `json:"sum"`
}

// Func makes a tool from a function. The schemas come from its types.
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
