package tools_test

import (
	"context"
	"fmt"

	"github.com/bowline-mcp/bowline/framework/tools"
)

// New makes a tool from data that is known only at run time, such as a file or a
// database.
func ExampleNew() {
	greet := tools.New(tools.Definition{
		Name:        "greet",
		Description: "Greets somebody.",
		InputSchema: []byte(`{"type": "object", "properties": {"name": {"type": "string", "minLength": 2}}, "required": ["name"]}`),
	}, func(_ context.Context, request *tools.Request) (tools.Result, error) {
		return tools.Text("Hello " + request.String("name") + "."), nil
	})
	fmt.Println(call(greet, `{"name": "Ann"}`))
	fmt.Println(call(greet, `{"name": "A"}`))
	// Output:
	// Hello Ann.
	// The arguments of greet are not valid:
	// - /name: must be a string of at least 2 characters, got 1 character
}
