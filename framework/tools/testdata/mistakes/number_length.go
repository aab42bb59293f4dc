package mistakes

import "github.com/bowline-mcp/bowline/framework/schema"

func numberLength(schema *schema.Object) { schema.Integer("n").MinLength(3) }

// error: schema.Integer("n").MinLength undefined
