package tools

import (
	"context"
	"fmt"

	"github.com/bowline-mcp/bowline/framework/annotations"
	"github.com/bowline-mcp/bowline/framework/tools"

	"github.com/bowline-mcp/bowline/examples/crud/app/notes"
)

// DeleteNoteTool deletes the note with an ID, once the user has agreed.
type DeleteNoteTool struct {
	tools.Typed[NoteID, DeletedNote]
	tools.Confirmed
	annotations.IsDestructive
	store notes.Store
}

// DeletedNote is the result of DeleteNoteTool.
type DeletedNote struct {
	Deleted int64 `json:"deleted" schema:"description='The ID of the note that is deleted.'"`
}

// NewDeleteNoteTool returns the tool for the notes in a store.
func NewDeleteNoteTool(store notes.Store) *DeleteNoteTool {
	return &DeleteNoteTool{store: store}
}

// Description tells the model what the tool does and when to use it.
func (*DeleteNoteTool) Description() string {
	return "Deletes the note with an ID, once the user has agreed."
}

// Confirmation returns the question that the user has to agree to. Nobody is asked about a note that
// doesn't exist.
func (t *DeleteNoteTool) Confirmation(ctx context.Context, request *tools.Request) (string, error) {
	owner, err := notes.Owner(ctx)
	if err != nil {
		return "", err
	}
	id := int64(request.Int("id"))
	record, err := t.store.Get(ctx, owner, id)
	if err != nil {
		return "", noteError(id, err)
	}
	return fmt.Sprintf("Delete the note %d, %.100q? This can't be undone.", id, record.Title), nil
}

// Call runs the tool.
func (t *DeleteNoteTool) Call(ctx context.Context, request *tools.Request, in NoteID) (DeletedNote, error) {
	owner, err := notes.Owner(ctx)
	if err != nil {
		return DeletedNote{}, err
	}
	err = t.store.Delete(ctx, owner, in.ID)
	return DeletedNote{Deleted: in.ID}, noteError(in.ID, err)
}
