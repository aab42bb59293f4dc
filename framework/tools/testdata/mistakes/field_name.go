package mistakes

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

type FieldName struct {
	tools.Tool
	Name string
}

func (*FieldName) Description() string { return "" }
func (*FieldName) Handle(context.Context, *tools.Request) (tools.Result, error) {
	return nil, nil
}

var _ servers.Tool = &FieldName{}

// error: (*FieldName.Name is a field, not a method)
