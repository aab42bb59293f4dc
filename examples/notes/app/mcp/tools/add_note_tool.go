// Package tools has the app's MCP tools.
package tools

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/tools"

	"github.com/bowline-mcp/bowline/examples/notes/app/notes"
)

// AddNoteTool adds a note.
type AddNoteTool struct {
	tools.Typed[AddNoteArguments, notes.Note]
	store *notes.Store
}

// AddNoteArguments are the arguments of AddNoteTool.
type AddNoteArguments struct {
	Title string `json:"title" schema:"description='What the note is about.',minLength=1,maxLength=200"`
	Text  string `json:"text" schema:"description='The note, in Markdown.',maxLength=10000"`
}

// NewAddNoteTool returns the tool for the notes of a store.
func NewAddNoteTool(store *notes.Store) *AddNoteTool { return &AddNoteTool{store: store} }

// Description tells the model what the tool does and when to use it.
func (*AddNoteTool) Description() string {
	return "Adds a note. Use it when the user wants to remember something."
}

// DestructiveHint returns false, because a new note replaces nothing.
func (*AddNoteTool) DestructiveHint() bool { return false }

// Call runs the tool.
func (t *AddNoteTool) Call(ctx context.Context, request *tools.Request, arguments AddNoteArguments) (notes.Note, error) {
	return t.store.Add(ctx, notes.Note{Title: arguments.Title, Text: arguments.Text})
}
