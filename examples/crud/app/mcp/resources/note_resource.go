// Package resources has the app's MCP resources.
package resources

import (
	"context"
	"errors"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/resources"

	"github.com/bowline-mcp/bowline/examples/crud/app/notes"
)

// NoteResource is a template for many resources, one for each note.
type NoteResource struct {
	resources.Resource
	store notes.Store
}

// NewNoteResource returns the template for the notes in a store.
func NewNoteResource(store notes.Store) *NoteResource {
	return &NoteResource{store: store}
}

// URI identifies the resources.
func (*NoteResource) URI() string { return "app://notes/{id}" }

// Description says what the resources contain.
func (*NoteResource) Description() string { return "The note with an ID." }

// MIMEType returns the type of the contents.
func (*NoteResource) MIMEType() string { return content.MIMEJSON }

// Variables suggests IDs.
func (r *NoteResource) Variables(variables *resources.Variables) {
	variables.Variable("id").Complete(notes.CompleteIDs(r.store))
}

// Handle reads the note with the ID in the URI.
func (r *NoteResource) Handle(ctx context.Context, request *resources.Request) (resources.Result, error) {
	owner, err := notes.Owner(ctx)
	if err != nil {
		return nil, err
	}
	var in struct {
		ID int64 `uri:"id"`
	}
	if err := request.Bind(&in); err != nil {
		return nil, err
	}
	record, err := r.store.Get(ctx, owner, in.ID)
	if errors.Is(err, notes.ErrNotFound) {
		return nil, exchange.ErrResourceNotFound
	}
	if err != nil {
		return nil, err
	}
	return resources.JSON(record)
}
