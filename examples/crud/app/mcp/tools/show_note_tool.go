package tools

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/annotations"
	"github.com/bowline-mcp/bowline/framework/tools"

	"github.com/bowline-mcp/bowline/examples/crud/app/notes"
)

// ShowNoteTool shows the note with an ID.
type ShowNoteTool struct {
	tools.Typed[NoteID, notes.Note]
	annotations.IsReadOnly
	store notes.Store
}

// NewShowNoteTool returns the tool for the notes in a store.
func NewShowNoteTool(store notes.Store) *ShowNoteTool {
	return &ShowNoteTool{store: store}
}

// Description tells the model what the tool does and when to use it.
func (*ShowNoteTool) Description() string { return "Shows the note with an ID." }

// Call runs the tool.
func (t *ShowNoteTool) Call(ctx context.Context, request *tools.Request, in NoteID) (notes.Note, error) {
	owner, err := notes.Owner(ctx)
	if err != nil {
		return notes.Note{}, err
	}
	record, err := t.store.Get(ctx, owner, in.ID)
	return record, noteError(in.ID, err)
}
