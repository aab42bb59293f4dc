package tools

import (
	"context"
	"database/sql"
	"errors"

	"github.com/bowline-mcp/bowline/framework/annotations"
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/framework/tools"

	"github.com/bowline-mcp/bowline/examples/crud/notes"
)

// GetNoteTool reads a note.
type GetNoteTool struct {
	tools.Tool
	annotations.IsReadOnly
	db *sql.DB
}

// NewGetNoteTool returns the tool for the notes of a database.
func NewGetNoteTool(db *sql.DB) *GetNoteTool { return &GetNoteTool{db: db} }

// Description tells the model what the tool does.
func (*GetNoteTool) Description() string { return "Reads a note." }

// Schema describes the tool's arguments.
func (*GetNoteTool) Schema(s *schema.Object) {
	s.Integer("id").Description("The note to read.").Min(1).Required()
}

// Handle runs the tool.
func (t *GetNoteTool) Handle(ctx context.Context, request *tools.Request) (tools.Result, error) {
	note, err := findNote(ctx, t.db, request)
	return tools.Structured(note), err
}

// findNote returns the note of a call.
func findNote(ctx context.Context, db *sql.DB, request *tools.Request) (*notes.Note, error) {
	note, err := notes.Find(ctx, db, int64(request.Int("id")))
	if errors.Is(err, sql.ErrNoRows) {
		err = noSuchNote(request)
	}
	return note, err
}

// noSuchNote is what the model reads; any other error is only logged.
func noSuchNote(request *tools.Request) error {
	return tools.Errorf("There is no note %d. list-notes tells which there are.", request.Int("id"))
}
