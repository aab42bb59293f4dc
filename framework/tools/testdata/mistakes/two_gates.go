package mistakes

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

type (
	Staff    struct{}
	Paying   struct{}
	TwoGates struct {
		tools.Tool
		Staff
		Paying
	}
)

func (Staff) VisibleTo(context.Context) bool  { return false }
func (Paying) VisibleTo(context.Context) bool { return false }

func (*TwoGates) Description() string { return "" }
func (*TwoGates) Handle(context.Context, *tools.Request) (tools.Result, error) {
	return nil, nil
}

var _ servers.Tool = &TwoGates{}

// error: (ambiguous selector *TwoGates.VisibleTo)
