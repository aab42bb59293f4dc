package tools_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcptest"
	"github.com/bowline-mcp/bowline/framework/servers"

	"github.com/bowline-mcp/bowline/examples/crud/app/mcp/tools"
	"github.com/bowline-mcp/bowline/examples/crud/app/notes/notestest"
)

func TestShowNoteTool(t *testing.T) {
	store := notestest.Open(t)
	first := notestest.Create(t, store, notestest.Ana, notestest.First())
	definition := servers.Definition{Tools: []servers.Tool{tools.NewShowNoteTool(store)}}
	client := notestest.Client(t, notestest.Ana, definition)
	client.Call("show-note", mcptest.Args{"id": 1}).AssertOK().AssertStructured(notestest.JSON(t, first))
	client.Call("show-note", mcptest.Args{"id": 2}).AssertError("There is no note 2.")
	notestest.Client(t, notestest.Ben, definition).Call("show-note", mcptest.Args{"id": 1}).AssertError("There is no note 1.")
	mcptest.Tool(t, tools.NewShowNoteTool(store), mcptest.Args{"id": 1}).AssertError("Log in first")
}
