package tools

import (
	"context"
	"time"

	"github.com/bowline-mcp/bowline/framework/tools"
)

// LoggingTool logs to the client while it works.
type LoggingTool struct {
	tools.Tool
	pause time.Duration
}

// NewLoggingTool returns a tool that rests a little between its messages.
func NewLoggingTool() *LoggingTool { return &LoggingTool{pause: 50 * time.Millisecond} }

// Name is the one that the official conformance suite looks for.
func (*LoggingTool) Name() string { return "test_tool_with_logging" }

// Description tells the model what the tool does.
func (*LoggingTool) Description() string { return "Sends three log messages, then answers." }

// Handle runs the tool.
func (t *LoggingTool) Handle(ctx context.Context, request *tools.Request) (tools.Result, error) {
	for i, message := range []string{"The tool has begun.", "The tool works.", "The tool is done."} {
		if i > 0 {
			select {
			case <-time.After(t.pause):
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		request.Log().InfoContext(ctx, message, "step", i+1)
	}
	return tools.Text("Three messages were logged."), nil
}
