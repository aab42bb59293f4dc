package tools_test

import (
	"context"
	"fmt"

	"github.com/bowline-mcp/bowline/framework/annotations"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// A MultiplyTool multiplies. Its schemas come from the types Factors and Product.
type MultiplyTool struct {
	tools.Typed[Factors, Product]
	annotations.IsReadOnly
}

// Factors are the arguments.
type Factors struct {
	A int `json:"a" schema:"description='The first factor.'"`
	B int `json:"b" schema:"description='The second factor.',max=1000"`
}

// Product is the result.
type Product struct {
	Product int `json:"product"`
}

// Description tells the model what the tool does.
func (*MultiplyTool) Description() string { return "Multiplies two numbers." }

// Call runs the tool. The arguments have been checked before.
func (*MultiplyTool) Call(_ context.Context, _ *tools.Request, arguments Factors) (Product, error) {
	return Product{arguments.A * arguments.B}, nil
}

// A tool is a type that embeds tools.Typed.
func Example_typed() {
	fmt.Println(call(&MultiplyTool{}, `{"a": 6, "b": 7}`))
	// Output: {"product":42}
}
