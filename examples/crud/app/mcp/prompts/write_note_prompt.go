// Package prompts has the app's MCP prompts.
package prompts

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/bowline-mcp/bowline/framework/prompts"

	"github.com/bowline-mcp/bowline/examples/crud/app/notes"
)

// WriteNotePrompt asks the model to write a new note.
type WriteNotePrompt struct {
	prompts.Prompt
	store notes.Store
}

// NewWriteNotePrompt returns the prompt for the notes in a store.
func NewWriteNotePrompt(store notes.Store) *WriteNotePrompt {
	return &WriteNotePrompt{store: store}
}

// Description tells the person who picks the prompt what it does.
func (*WriteNotePrompt) Description() string { return "Writes a new note about a topic." }

// Arguments declares the arguments that the person fills in.
func (p *WriteNotePrompt) Arguments(arguments *prompts.Arguments) {
	arguments.Argument("topic").Description("The topic of the note.").Required()
	arguments.Argument("example").Description("The ID of a note to follow.").Complete(notes.CompleteIDs(p.store))
}

// Handle returns the message for the model.
func (p *WriteNotePrompt) Handle(ctx context.Context, request *prompts.Request) (prompts.Result, error) {
	owner, err := notes.Owner(ctx)
	if err != nil {
		return nil, err
	}
	var in struct {
		Topic   string `json:"topic"`
		Example int64  `json:"example"`
	}
	if err := request.Bind(&in); err != nil {
		return nil, err
	}
	message := "Write a new note about " + in.Topic + ", and keep it with create-note."
	if !request.Has("example") {
		return prompts.User(message), nil
	}
	record, err := p.store.Get(ctx, owner, in.Example)
	if errors.Is(err, notes.ErrNotFound) {
		return nil, prompts.Errorf("There is no note %d.", in.Example)
	}
	if err != nil {
		return nil, err
	}
	example, err := json.Marshal(record.Fields)
	return prompts.User(message + " Follow this one: " + string(example)), err
}
