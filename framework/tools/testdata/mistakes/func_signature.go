package mistakes

import "github.com/bowline-mcp/bowline/framework/tools"

var funcSignature = tools.Func("f", "F.", func(in struct{}) (string, error) { return "", nil })

// error: does not match func(context.Context, In) (Out, error)
