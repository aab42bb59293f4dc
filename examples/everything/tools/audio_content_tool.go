package tools

import (
	"context"
	_ "embed"

	"github.com/bowline-mcp/bowline/framework/annotations"
	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/tools"
)

//go:embed beep.wav
var beep []byte

// AudioContentTool returns a sound.
type AudioContentTool struct {
	tools.Tool
	annotations.IsReadOnly
}

// Name pins the tool's name.
func (*AudioContentTool) Name() string { return "test_audio_content" }

// Description tells the model what the tool does.
func (*AudioContentTool) Description() string { return "Returns a sound, a short beep." }

// Handle runs the tool.
func (*AudioContentTool) Handle(ctx context.Context, request *tools.Request) (tools.Result, error) {
	return tools.Audio(beep, content.MIMEWAV), nil
}
