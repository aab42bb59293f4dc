package tools_test

import (
	"net/http"
	"testing"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/mcptest"
	"github.com/bowline-mcp/bowline/framework/servers"

	"github.com/bowline-mcp/bowline/examples/everything/tools"
)

func TestToolsReturnContentOfTheirTypes(t *testing.T) {
	for _, tt := range []struct {
		tool servers.Tool
		want []string
	}{
		{&tools.SimpleTextTool{}, []string{content.TypeText}},
		{&tools.ImageContentTool{}, []string{content.TypeImage}},
		{&tools.AudioContentTool{}, []string{content.TypeAudio}},
		{&tools.EmbeddedResourceTool{}, []string{content.TypeResource}},
		{&tools.MultipleContentTypesTool{}, []string{content.TypeText, content.TypeImage, content.TypeResource}},
	} {
		blocks := mcptest.Tool(t, tt.tool, nil).AssertOK().Call.Content
		if len(blocks) != len(tt.want) {
			t.Errorf("%s: got %d blocks, want %v", tt.tool.Name(), len(blocks), tt.want)
			continue
		}
		for i, block := range blocks {
			if block.Type != tt.want[i] {
				t.Errorf("%s: block %d is %s, want %s", tt.tool.Name(), i, block.Type, tt.want[i])
			}
		}
	}
}

func TestImageAndSoundAreWhatTheySay(t *testing.T) {
	for _, tt := range []struct {
		tool  servers.Tool
		want  string
		bytes string // what net/http takes the bytes for
	}{
		{&tools.ImageContentTool{}, "image/png", "image/png"},
		{&tools.AudioContentTool{}, "audio/wav", "audio/wave"},
	} {
		block := mcptest.Tool(t, tt.tool, nil).AssertOK().Call.Content[0]
		if got := http.DetectContentType(block.Data); block.MIMEType != tt.want || got != tt.bytes {
			t.Errorf("%s: says %s and is %s, want %s and %s", tt.tool.Name(), block.MIMEType, got, tt.want, tt.bytes)
		}
	}
}
