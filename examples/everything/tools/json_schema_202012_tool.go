package tools

import (
	"context"
	_ "embed"

	"github.com/bowline-mcp/bowline/framework/annotations"
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/framework/tools"
)

//go:embed contact.schema.json
var contactSchema string

// JSONSchema202012Tool has a schema that is written as JSON, for keywords that the
// builder doesn't have.
type JSONSchema202012Tool struct {
	tools.Tool
	annotations.IsReadOnly
}

// Name pins the tool's name.
func (*JSONSchema202012Tool) Name() string { return "json_schema_2020_12_tool" }

// Description tells the model what the tool does.
func (*JSONSchema202012Tool) Description() string {
	return "Says how to contact somebody: by phone or by email."
}

// Schema describes the tool's arguments.
func (*JSONSchema202012Tool) Schema(s *schema.Object) { s.Raw(contactSchema) }

// Handle runs the tool.
func (*JSONSchema202012Tool) Handle(ctx context.Context, request *tools.Request) (tools.Result, error) {
	name := request.String("name", "Somebody")
	if request.String("contactMethod") == "phone" {
		return tools.Text(name + " can be reached by phone: " + request.String("phone")), nil
	}
	return tools.Text(name + " can be reached by email: " + request.String("email")), nil
}
