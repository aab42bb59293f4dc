package tools

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/bowline-mcp/bowline/framework/annotations"
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// DeleteNoteTool deletes a note, once the user has agreed.
type DeleteNoteTool struct {
	tools.Tool
	tools.Confirmed
	annotations.IsDestructive
	db *sql.DB
}

// NewDeleteNoteTool returns the tool for the notes of a database.
func NewDeleteNoteTool(db *sql.DB) *DeleteNoteTool { return &DeleteNoteTool{db: db} }

// Description tells the model what the tool does.
func (*DeleteNoteTool) Description() string { return "Deletes a note, once the user has agreed." }

// Schema describes the tool's arguments.
func (*DeleteNoteTool) Schema(s *schema.Object) {
	s.Integer("id").Description("The note to delete.").Min(1).Required()
}

// Confirmation returns the question to the user, who isn't asked about a note that doesn't exist.
func (t *DeleteNoteTool) Confirmation(ctx context.Context, request *tools.Request) (string, error) {
	note, err := findNote(ctx, t.db, request)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("Delete note %d, %q? This can't be undone.", note.ID, note.Title), nil
}

// Handle runs the tool.
func (t *DeleteNoteTool) Handle(ctx context.Context, request *tools.Request) (tools.Result, error) {
	done, err := t.db.ExecContext(ctx, `DELETE FROM notes WHERE id = ?`, request.Int("id"))
	if err != nil {
		return nil, err
	}
	deleted, err := done.RowsAffected()
	if err == nil && deleted == 0 {
		err = noSuchNote(request)
	}
	return tools.Text(fmt.Sprintf("Note %d is deleted.", request.Int("id"))), err
}
