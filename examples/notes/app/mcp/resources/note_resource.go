// Package resources has the app's MCP resources.
package resources

import (
	"context"
	"errors"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/resources"

	"github.com/bowline-mcp/bowline/examples/notes/app/notes"
)

// NoteResource is a template with one resource for each note.
type NoteResource struct {
	resources.Resource
	store *notes.Store
}

// NewNoteResource returns the resource for the notes of a store.
func NewNoteResource(store *notes.Store) *NoteResource { return &NoteResource{store: store} }

// URI identifies a note.
func (*NoteResource) URI() string { return "notes://{id}" }

// Description describes the contents.
func (*NoteResource) Description() string { return "A note of the user." }

// MIMEType is the type of the contents.
func (*NoteResource) MIMEType() string { return content.MIMEMarkdown }

// Handle reads the note with the ID in the URI.
func (r *NoteResource) Handle(ctx context.Context, request *resources.Request) (resources.Result, error) {
	var in struct {
		ID int64 `uri:"id"`
	}
	if err := request.Bind(&in); err != nil {
		return nil, err
	}
	note, err := r.store.Get(ctx, in.ID)
	if errors.Is(err, notes.ErrNotFound) {
		return nil, exchange.ErrResourceNotFound
	}
	if err != nil {
		return nil, err
	}
	return resources.Text("# " + note.Title + "\n\n" + note.Text), nil
}
