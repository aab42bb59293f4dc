package tools_test

import (
	"context"
	"fmt"

	"github.com/bowline-mcp/bowline/framework/tools"
)

// CountTool reports its progress.
type CountTool struct{ tools.Tool }

// Description tells the model what the tool does.
func (*CountTool) Description() string { return "Counts to three." }

// Handle runs the tool.
func (*CountTool) Handle(ctx context.Context, _ *tools.Request) (tools.Result, error) {
	return tools.StreamFunc(ctx, func(send func(tools.Message) error) error {
		for i := range 3 {
			if err := send(tools.Progress{Done: float64(i + 1), Total: 3}); err != nil {
				return err // the call has ended
			}
		}
		return send(tools.Text("Done."))
	}), nil
}

// A stream has any number of notifications and progress reports, then one result.
func ExampleStreamFunc() {
	fmt.Println(call(&CountTool{}, `{}`))
	// Output:
	// notifications/progress {"progressToken":1,"progress":1,"total":3}
	// notifications/progress {"progressToken":1,"progress":2,"total":3}
	// notifications/progress {"progressToken":1,"progress":3,"total":3}
	// Done.
}
