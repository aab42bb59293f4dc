package mistakes

import (
	"context"
	"time"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

type NoEmbed struct{}

func (*NoEmbed) Name() string                       { return "" }
func (*NoEmbed) Title() string                      { return "" }
func (*NoEmbed) Description() string                { return "" }
func (*NoEmbed) Schema(*schema.Object)              {}
func (*NoEmbed) OutputSchema(*schema.Object)        {}
func (*NoEmbed) Icons() []content.Icon              { return nil }
func (*NoEmbed) Meta() map[string]any               { return nil }
func (*NoEmbed) Timeout() time.Duration             { return 0 }
func (*NoEmbed) Guardrails() []guardrails.Guardrail { return nil }
func (*NoEmbed) VisibleTo(context.Context) bool     { return true }
func (*NoEmbed) OwnMethods() []string               { return nil }
func (*NoEmbed) Handle(context.Context, *tools.Request) (tools.Result, error) {
	return nil, nil
}

var _ servers.Tool = &NoEmbed{}

// error: (missing method mustEmbedTool)
