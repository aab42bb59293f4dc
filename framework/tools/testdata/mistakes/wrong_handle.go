package mistakes

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

type WrongHandle struct{ tools.Tool }

func (*WrongHandle) Description() string                                   { return "" }
func (*WrongHandle) Handle(context.Context, tools.Request) (string, error) { return "", nil }

var _ servers.Tool = &WrongHandle{}

// error: (wrong type for method Handle)
// error: want Handle(context.Context, *tools.Request) (tools.Result, error)
