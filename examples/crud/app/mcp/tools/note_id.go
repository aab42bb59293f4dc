package tools

import (
	"errors"

	"github.com/bowline-mcp/bowline/framework/tools"

	"github.com/bowline-mcp/bowline/examples/crud/app/notes"
)

// NoteID are the arguments of tools for one note.
type NoteID struct {
	ID int64 `json:"id" schema:"description='The ID of the note.',min=1"`
}

// noteError returns the error of a tool for an error of the store. If the store has no
// note with the ID, the model reads that. Other errors are only logged.
func noteError(id int64, err error) error {
	if errors.Is(err, notes.ErrNotFound) {
		return tools.Errorf("There is no note %d. list-notes lists the notes.", id)
	}
	return err
}
