package tools

import (
	"context"
	"errors"
	"fmt"

	"github.com/bowline-mcp/bowline/framework/annotations"
	"github.com/bowline-mcp/bowline/framework/auth"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/framework/tools"

	"github.com/bowline-mcp/bowline/examples/notes/app/notes"
)

// DeleteNoteTool deletes a note, once the user has agreed.
type DeleteNoteTool struct {
	tools.Typed[DeleteNoteArguments, string]
	tools.Confirmed
	annotations.IsDestructive
	store *notes.Store
}

// DeleteNoteArguments are the arguments of DeleteNoteTool.
type DeleteNoteArguments struct {
	ID int64 `json:"id" schema:"description='The ID of the note.',min=1"`
}

// NewDeleteNoteTool returns the tool for the notes of a store.
func NewDeleteNoteTool(store *notes.Store) *DeleteNoteTool { return &DeleteNoteTool{store: store} }

// Description tells the model what the tool does and when to use it.
func (*DeleteNoteTool) Description() string { return "Deletes a note, once the user has agreed." }

// Guardrails let only clients with the scope delete notes.
func (*DeleteNoteTool) Guardrails() []guardrails.Guardrail {
	return []guardrails.Guardrail{auth.Require("notes:delete")}
}

// Confirmation returns the question to the user, who isn't asked about a note that doesn't exist.
func (t *DeleteNoteTool) Confirmation(ctx context.Context, request *tools.Request) (string, error) {
	note, err := t.store.Get(ctx, int64(request.Int("id")))
	if err != nil {
		return "", noteError(err, int64(request.Int("id")))
	}
	return fmt.Sprintf("Delete note %d, %q? This can't be undone.", note.ID, note.Title), nil
}

// Call runs the tool.
func (t *DeleteNoteTool) Call(ctx context.Context, request *tools.Request, arguments DeleteNoteArguments) (string, error) {
	if err := t.store.Delete(ctx, arguments.ID); err != nil {
		return "", noteError(err, arguments.ID)
	}
	return fmt.Sprintf("Note %d is deleted.", arguments.ID), nil
}

// noteError returns an error that tells the model about a wrong ID. Others are only logged.
func noteError(err error, id int64) error {
	if errors.Is(err, notes.ErrNotFound) {
		return tools.Errorf("There is no note %d. The tool list-notes has the IDs.", id)
	}
	return err
}
