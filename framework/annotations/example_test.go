package annotations_test

import (
	"fmt"

	"github.com/bowline-mcp/bowline/framework/annotations"
	"github.com/bowline-mcp/bowline/framework/tools"
	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// CountTool counts visits. It writes data, but destroys none.
type CountTool struct {
	tools.Tool
	annotations.IsIdempotent
}

// DestructiveHint returns false, since clients assume by default that a tool is
// destructive.
func (*CountTool) DestructiveHint() bool { return false }

// Embed a marker to set a hint. Define its method to set the hint to false.
func Example() {
	hints, _ := codec.Marshal(annotations.Of(&CountTool{}))
	fmt.Println(string(hints))
	// Output: {"destructiveHint":false,"idempotentHint":true}
}
