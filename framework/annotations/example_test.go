package annotations_test

import (
	"fmt"

	"github.com/bowline-mcp/bowline/framework/annotations"
	"github.com/bowline-mcp/bowline/framework/tools"
	"github.com/bowline-mcp/bowline/internal/codec"
)

// CountTool counts visits. It writes, but destroys nothing.
type CountTool struct {
	tools.Tool
	annotations.IsIdempotent
}

// DestructiveHint says that the tool doesn't destroy: a tool that doesn't say so
// counts as one that may.
func (*CountTool) DestructiveHint() bool { return false }

// Embed a marker to state a hint, and define its method to state that it is false.
func Example() {
	hints, _ := codec.Marshal(annotations.Of(&CountTool{}))
	fmt.Println(string(hints))
	// Output: {"destructiveHint":false,"idempotentHint":true}
}
