package mistakes

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

type ByValue struct{ tools.Tool }

func (*ByValue) Description() string { return "" }
func (*ByValue) Handle(context.Context, *tools.Request) (tools.Result, error) {
	return nil, nil
}

var _ servers.Tool = ByValue{}

// error: (method Description has pointer receiver)
