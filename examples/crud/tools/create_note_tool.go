package tools

import (
	"context"
	"database/sql"

	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/framework/tools"

	"github.com/bowline-mcp/bowline/examples/crud/notes"
)

// CreateNoteTool writes a note.
type CreateNoteTool struct {
	tools.Tool
	db *sql.DB
}

// NewCreateNoteTool returns the tool for the notes of a database.
func NewCreateNoteTool(db *sql.DB) *CreateNoteTool { return &CreateNoteTool{db: db} }

// Description tells the model what the tool does.
func (*CreateNoteTool) Description() string { return "Writes a new note." }

// DestructiveHint returns false, because a new note replaces nothing.
func (*CreateNoteTool) DestructiveHint() bool { return false }

// Schema describes the tool's arguments.
func (*CreateNoteTool) Schema(s *schema.Object) {
	s.String("title").Description("What the note is about.").MinLength(1).MaxLength(200).Required()
	s.String("text").Description("The note.").MaxLength(10_000).Required()
}

// Handle runs the tool.
func (t *CreateNoteTool) Handle(ctx context.Context, request *tools.Request) (tools.Result, error) {
	note := notes.Note{Title: request.String("title"), Text: request.String("text")}
	err := t.db.QueryRowContext(ctx, `INSERT INTO notes (title, text) VALUES (?, ?) RETURNING id`, note.Title, note.Text).Scan(&note.ID)
	return tools.Structured(note), err
}
