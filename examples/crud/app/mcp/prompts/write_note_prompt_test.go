package prompts_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcptest"
	"github.com/bowline-mcp/bowline/framework/servers"

	"github.com/bowline-mcp/bowline/examples/crud/app/mcp/prompts"
	"github.com/bowline-mcp/bowline/examples/crud/app/notes/notestest"
)

func TestWriteNotePrompt(t *testing.T) {
	store := notestest.Open(t)
	notestest.Create(t, store, notestest.Ana, notestest.First())
	definition := servers.Definition{Prompts: []servers.Prompt{prompts.NewWriteNotePrompt(store)}}
	client := notestest.Client(t, notestest.Ana, definition)
	client.Get("write-note", mcptest.Args{"topic": "knots"}).AssertOK().AssertSee("about knots", "create-note")
	client.Get("write-note", mcptest.Args{"topic": "knots", "example": "1"}).AssertOK().AssertSee("title")
	client.Get("write-note", mcptest.Args{"topic": "knots", "example": "2"}).AssertError("There is no note 2.")
	client.CompletePrompt("write-note", "example", "", nil).AssertCompletes("1")
	other := notestest.Client(t, notestest.Ben, definition)
	other.Get("write-note", mcptest.Args{"topic": "knots", "example": "1"}).AssertError("There is no note 1.")
	other.CompletePrompt("write-note", "example", "", nil).AssertCompletes()
	mcptest.Prompt(t, prompts.NewWriteNotePrompt(store), mcptest.Args{"topic": "knots"}).AssertError("Log in first")
}
