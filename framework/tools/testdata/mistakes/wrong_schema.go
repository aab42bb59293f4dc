package mistakes

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

type WrongSchema struct{ tools.Tool }

func (*WrongSchema) Description() string    { return "" }
func (*WrongSchema) Schema() *schema.Object { return nil }
func (*WrongSchema) Handle(context.Context, *tools.Request) (tools.Result, error) {
	return nil, nil
}

var _ servers.Tool = &WrongSchema{}

// error: (wrong type for method Schema)
// error: have Schema() *schema.Object
// error: want Schema(*schema.Object)
