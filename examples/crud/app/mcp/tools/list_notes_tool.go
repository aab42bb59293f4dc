// Package tools has the app's MCP tools.
package tools

import (
	"context"
	"errors"

	"github.com/bowline-mcp/bowline/framework/annotations"
	"github.com/bowline-mcp/bowline/framework/tools"

	"github.com/bowline-mcp/bowline/examples/crud/app/notes"
)

// ListNotesTool lists the notes, the newest first.
type ListNotesTool struct {
	tools.Typed[notes.Query, notes.Results]
	annotations.IsReadOnly
	store notes.Store
}

// NewListNotesTool returns the tool for the notes in a store.
func NewListNotesTool(store notes.Store) *ListNotesTool {
	return &ListNotesTool{store: store}
}

// Description tells the model what the tool does and when to use it.
func (*ListNotesTool) Description() string {
	return "Lists the notes of the user, the newest first. If the result has a nextCursor, there are more."
}

// Call runs the tool.
func (t *ListNotesTool) Call(ctx context.Context, request *tools.Request, in notes.Query) (notes.Results, error) {
	owner, err := notes.Owner(ctx)
	if err != nil {
		return notes.Results{}, err
	}
	page, err := t.store.List(ctx, owner, in)
	if errors.Is(err, notes.ErrBadCursor) {
		err = tools.Errorf("The cursor is not valid. Pass the nextCursor of the page before, or no cursor for the first page.")
	}
	return page, err
}
