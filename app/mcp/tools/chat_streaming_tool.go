package tools

import (
	"context"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/framework/annotations"
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// ChatStreamingTool streams a message word by word.
type ChatStreamingTool struct {
	tools.Tool
	annotations.IsReadOnly

	// Pause is the time between two words. NewChatStreamingTool sets 100 ms.
	Pause time.Duration
}

// NewChatStreamingTool returns the tool with a pause that makes the stream visible.
func NewChatStreamingTool() *ChatStreamingTool {
	return &ChatStreamingTool{Pause: 100 * time.Millisecond}
}

// Description tells the model what the tool does.
func (*ChatStreamingTool) Description() string { return "Streams a message word by word." }

// Schema describes the tool's arguments.
func (*ChatStreamingTool) Schema(s *schema.Object) {
	s.String("message").Description("The message to stream.").Default("Here's a message from the chat bot.")
}

// Handle runs the tool.
func (t *ChatStreamingTool) Handle(ctx context.Context, request *tools.Request) (tools.Result, error) {
	words := strings.Fields(request.String("message"))
	return tools.StreamFunc(ctx, func(send func(tools.Message) error) error {
		for i, word := range words {
			if i > 0 {
				if err := pause(ctx, t.Pause); err != nil {
					return err
				}
			}
			token := tools.Notification{Method: "chat/token", Params: map[string]string{"token": word + " "}}
			if err := send(token); err != nil {
				return err
			}
			if err := send(tools.Progress{Done: float64(i + 1), Total: float64(len(words))}); err != nil {
				return err
			}
		}
		return send(tools.Text("Message streamed successfully."))
	}), nil
}

// pause waits, unless the call ends.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
