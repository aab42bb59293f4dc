package tools

import (
	"context"
	"time"

	"github.com/bowline-mcp/bowline/framework/annotations"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// ReconnectionTool ends its connection before it answers. The client comes back for
// the answer.
type ReconnectionTool struct {
	tools.Tool
	annotations.IsReadOnly

	// Work is the time that it takes. NewReconnectionTool sets 100 ms.
	Work time.Duration
}

// NewReconnectionTool returns the tool with work that one can watch.
func NewReconnectionTool() *ReconnectionTool { return &ReconnectionTool{Work: 100 * time.Millisecond} }

// Name pins the tool's name.
func (*ReconnectionTool) Name() string { return "test_reconnection" }

// Description tells the model what the tool does.
func (*ReconnectionTool) Description() string {
	return "Ends the connection, and has the answer ready when the client comes back."
}

// Handle runs the tool.
func (t *ReconnectionTool) Handle(ctx context.Context, request *tools.Request) (tools.Result, error) {
	request.CloseStream(50 * time.Millisecond)
	select {
	case <-time.After(t.Work):
		return tools.Text("The work is done, and the client is back."), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
