package mistakes

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

type NoDescription struct{ tools.Tool }

func (*NoDescription) Handle(context.Context, *tools.Request) (tools.Result, error) { return nil, nil }

var _ servers.Tool = &NoDescription{}

// error: (missing method Description)
