// Package tools has the example's tools. Each gets the database by its constructor.
package tools

import (
	"context"
	"database/sql"

	"github.com/bowline-mcp/bowline/framework/annotations"
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/framework/tools"

	"github.com/bowline-mcp/bowline/examples/crud/notes"
)

// ListNotesTool lists the notes, the newest first.
type ListNotesTool struct {
	tools.Tool
	annotations.IsReadOnly
	db *sql.DB
}

// NewListNotesTool returns the tool for the notes of a database.
func NewListNotesTool(db *sql.DB) *ListNotesTool { return &ListNotesTool{db: db} }

// Description tells the model what the tool does.
func (*ListNotesTool) Description() string { return "Lists the notes, the newest first." }

// Schema describes the tool's arguments.
func (*ListNotesTool) Schema(s *schema.Object) {
	s.Integer("limit").Description("How many notes at most.").Min(1).Max(100).Default(20)
}

// Handle runs the tool.
func (t *ListNotesTool) Handle(ctx context.Context, request *tools.Request) (tools.Result, error) {
	rows, err := t.db.QueryContext(ctx, `SELECT id, title, text FROM notes ORDER BY id DESC LIMIT ?`, request.Int("limit"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	found := []notes.Note{}
	for rows.Next() {
		var note notes.Note
		if err := rows.Scan(&note.ID, &note.Title, &note.Text); err != nil {
			return nil, err
		}
		found = append(found, note)
	}
	return tools.Structured(map[string]any{"notes": found}), rows.Err()
}
