package tools

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/annotations"
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// DeletePageTool deletes a page after the user has confirmed.
type DeletePageTool struct {
	tools.Tool
	tools.Confirmed
	annotations.IsDestructive
}

// Description tells the model what the tool does.
func (*DeletePageTool) Description() string { return "Deletes a page after the user has confirmed." }

// Schema describes the tool's arguments.
func (*DeletePageTool) Schema(s *schema.Object) {
	s.String("pageId").Description("The page to delete.").MinLength(1).Required()
}

// Confirmation returns the question to the user.
func (*DeletePageTool) Confirmation(ctx context.Context, request *tools.Request) (string, error) {
	return "Delete page " + request.String("pageId") + "? This can't be undone.", nil
}

// Handle runs the tool.
func (*DeletePageTool) Handle(ctx context.Context, request *tools.Request) (tools.Result, error) {
	return tools.Structured(map[string]string{"status": "deleted", "pageId": request.String("pageId")}), nil
}
