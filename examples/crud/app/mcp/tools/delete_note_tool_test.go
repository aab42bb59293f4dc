package tools_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcptest"
	"github.com/bowline-mcp/bowline/framework/servers"

	"github.com/bowline-mcp/bowline/examples/crud/app/mcp/tools"
	"github.com/bowline-mcp/bowline/examples/crud/app/notes/notestest"
)

func TestDeleteNoteTool(t *testing.T) {
	store := notestest.Open(t)
	notestest.Create(t, store, notestest.Ana, notestest.First())
	definition := servers.Definition{Tools: []servers.Tool{tools.NewDeleteNoteTool(store)}}
	client := notestest.Client(t, notestest.Ana, definition)
	client.Call("delete-note", mcptest.Args{"id": 2}).AssertError("There is no note 2.") // nobody is asked
	other := notestest.Client(t, notestest.Ben, definition)
	other.Call("delete-note", mcptest.Args{"id": 1, "confirmed": true}).AssertError("There is no note 1.")
	mcptest.Tool(t, tools.NewDeleteNoteTool(store), mcptest.Args{"id": 1, "confirmed": true}).AssertError("Log in first")
	client.Call("delete-note", mcptest.Args{"id": 1}).AssertError("Delete the note 1, \"(title 1)\"?")
	client.Call("delete-note", mcptest.Args{"id": 1, "confirmed": true}).AssertOK().AssertStructured(map[string]any{"deleted": 1})
	client.Call("delete-note", mcptest.Args{"id": 1, "confirmed": true}).AssertError("There is no note 1.")
}
