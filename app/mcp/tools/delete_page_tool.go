package tools

import (
	"context"
	"fmt"

	"github.com/bowline-mcp/bowline/framework/annotations"
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// DeletePageTool deletes a page, once the user has agreed.
type DeletePageTool struct {
	tools.Tool
	annotations.IsDestructive
}

// Description tells the model what the tool does.
func (*DeletePageTool) Description() string {
	return "Deletes a page. Ask the user first, then call again with confirmed set to true."
}

// Schema describes the tool's arguments.
func (*DeletePageTool) Schema(schema *schema.Object) {
	schema.String("pageId").Description("The page to delete.").MinLength(1).Required()
	schema.Boolean("confirmed").Description("Whether the user has agreed.").Default(false)
}

// Handle runs the tool.
func (*DeletePageTool) Handle(ctx context.Context, request *tools.Request) (tools.Result, error) {
	id := request.String("pageId")
	if !request.Bool("confirmed") {
		return tools.Structured(map[string]string{
			"status":  "confirmation_required",
			"message": fmt.Sprintf("Deleting page %s can't be undone. Ask the user, then call again with confirmed set to true.", id),
		}), nil
	}
	return tools.Structured(map[string]string{"status": "deleted", "pageId": id}), nil
}
