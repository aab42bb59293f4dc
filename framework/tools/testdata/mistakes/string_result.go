package mistakes

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/tools"
)

func stringResult(context.Context, *tools.Request) (tools.Result, error) {
	return "Hello.", nil
}

// error: string does not implement tools.Result
