package tools

import (
	"context"
	"time"

	"github.com/bowline-mcp/bowline/framework/annotations"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// ProgressTool says how far it is while it works.
type ProgressTool struct {
	tools.Tool
	annotations.IsReadOnly

	// Pause is the time that a step takes. NewProgressTool sets 50 ms.
	Pause time.Duration
}

// NewProgressTool returns the tool with steps that one can watch.
func NewProgressTool() *ProgressTool { return &ProgressTool{Pause: 50 * time.Millisecond} }

// Name pins the tool's name.
func (*ProgressTool) Name() string { return "test_tool_with_progress" }

// Description tells the model what the tool does.
func (*ProgressTool) Description() string { return "Reports its progress in three steps." }

// Handle runs the tool.
func (t *ProgressTool) Handle(ctx context.Context, request *tools.Request) (tools.Result, error) {
	for _, percent := range []float64{0, 50, 100} {
		if err := request.Progress(percent, 100, ""); err != nil {
			return nil, err
		}
		select {
		case <-time.After(t.Pause):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return tools.Text("All three steps are done."), nil
}
