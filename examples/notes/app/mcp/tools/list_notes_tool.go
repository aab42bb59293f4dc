package tools

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/annotations"
	"github.com/bowline-mcp/bowline/framework/tools"

	"github.com/bowline-mcp/bowline/examples/notes/app/notes"
)

// ListNotesTool lists the notes, the newest first.
type ListNotesTool struct {
	tools.Typed[ListNotesArguments, ListNotesResult]
	annotations.IsReadOnly
	store *notes.Store
}

// ListNotesArguments are the arguments of ListNotesTool.
type ListNotesArguments struct {
	Limit int `json:"limit" schema:"description='How many notes at most.',min=1,max=100,default=20"`
}

// ListNotesResult is the result of ListNotesTool.
type ListNotesResult struct {
	Notes []notes.Note `json:"notes"`
}

// NewListNotesTool returns the tool for the notes of a store.
func NewListNotesTool(store *notes.Store) *ListNotesTool { return &ListNotesTool{store: store} }

// Description tells the model what the tool does and when to use it.
func (*ListNotesTool) Description() string { return "Lists the user's notes, the newest first." }

// Call runs the tool.
func (t *ListNotesTool) Call(ctx context.Context, request *tools.Request, arguments ListNotesArguments) (ListNotesResult, error) {
	found, err := t.store.List(ctx, arguments.Limit)
	return ListNotesResult{found}, err
}
