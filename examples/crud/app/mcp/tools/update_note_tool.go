package tools

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/annotations"
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/framework/tools"

	"github.com/bowline-mcp/bowline/examples/crud/app/notes"
)

// UpdateNoteTool changes some fields of the note with an ID.
type UpdateNoteTool struct {
	tools.Typed[NoteID, notes.Note]
	annotations.IsDestructive
	annotations.IsIdempotent
	store notes.Store
}

// NewUpdateNoteTool returns the tool for the notes in a store.
func NewUpdateNoteTool(store notes.Store) *UpdateNoteTool {
	return &UpdateNoteTool{store: store}
}

// Description tells the model what the tool does and when to use it.
func (*UpdateNoteTool) Description() string {
	return "Changes the fields of the note with an ID that are given. Others stay, and null removes the value of an optional one."
}

// Schema describes the ID and the fields, none of which is required.
func (t *UpdateNoteTool) Schema(s *schema.Object) {
	t.Typed.Schema(s)
	s.Partial(notes.Fields{})
}

// Call runs the tool.
func (t *UpdateNoteTool) Call(ctx context.Context, request *tools.Request, in NoteID) (notes.Note, error) {
	owner, err := notes.Owner(ctx)
	if err != nil {
		return notes.Note{}, err
	}
	record, err := t.store.Update(ctx, owner, in.ID, func(kept *notes.Fields) error {
		return request.Bind(kept) // leaves the fields that are not among the arguments
	})
	return record, noteError(in.ID, err)
}
