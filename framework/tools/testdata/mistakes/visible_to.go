package mistakes

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

type VisibleTo struct{ tools.Tool }

func (*VisibleTo) Description() string { return "" }
func (*VisibleTo) VisibleTo() bool     { return false }
func (*VisibleTo) Handle(context.Context, *tools.Request) (tools.Result, error) {
	return nil, nil
}

var _ servers.Tool = &VisibleTo{}

// error: (wrong type for method VisibleTo)
// error: have VisibleTo() bool
// error: want VisibleTo(context.Context) bool
