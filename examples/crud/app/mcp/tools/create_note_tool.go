package tools

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/tools"

	"github.com/bowline-mcp/bowline/examples/crud/app/notes"
)

// CreateNoteTool creates a new note.
type CreateNoteTool struct {
	tools.Typed[notes.Fields, notes.Note]
	store notes.Store
}

// NewCreateNoteTool returns the tool for the notes in a store.
func NewCreateNoteTool(store notes.Store) *CreateNoteTool {
	return &CreateNoteTool{store: store}
}

// Description tells the model what the tool does and when to use it.
func (*CreateNoteTool) Description() string { return "Creates a new note." }

// DestructiveHint returns false, because a new note replaces nothing.
func (*CreateNoteTool) DestructiveHint() bool { return false }

// Call runs the tool.
func (t *CreateNoteTool) Call(ctx context.Context, request *tools.Request, in notes.Fields) (notes.Note, error) {
	owner, err := notes.Owner(ctx)
	if err != nil {
		return notes.Note{}, err
	}
	return t.store.Create(ctx, owner, in)
}
