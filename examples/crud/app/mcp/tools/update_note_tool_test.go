package tools_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcptest"
	"github.com/bowline-mcp/bowline/framework/servers"

	"github.com/bowline-mcp/bowline/examples/crud/app/mcp/tools"
	"github.com/bowline-mcp/bowline/examples/crud/app/notes/notestest"
)

func TestUpdateNoteTool(t *testing.T) {
	store := notestest.Open(t)
	want := notestest.JSON(t, notestest.Create(t, store, notestest.Ana, notestest.First()))
	definition := servers.Definition{Tools: []servers.Tool{tools.NewUpdateNoteTool(store)}}
	client := notestest.Client(t, notestest.Ana, definition)
	client.Call("update-note", mcptest.Args{"id": 1}).AssertOK().AssertStructured(want)
	for name, value := range notestest.JSON(t, notestest.Second()) {
		want[name] = value // all others stay
		client.Call("update-note", mcptest.Args{"id": 1, name: value}).AssertOK().AssertStructured(want)
	}
	client.Call("update-note", mcptest.Args{"id": 1, "title": nil}).AssertError("title")
	client.Call("update-note", mcptest.Args{"id": 1, "body": nil}).AssertError("body")
	delete(want, "due")
	client.Call("update-note", mcptest.Args{"id": 1, "due": nil}).AssertOK().AssertStructured(want)
	client.Call("update-note", mcptest.Args{"id": 1, "status": nil}).AssertError("status")
	client.Call("update-note", mcptest.Args{"id": 1, "done": nil}).AssertError("done")
	client.Call("update-note", mcptest.Args{"id": 1, "tags": nil}).AssertError("tags")
	client.Call("update-note", mcptest.Args{"id": 2}).AssertError("There is no note 2.")
	client.Call("update-note", mcptest.Args{"id": 1, "author": notestest.Ben}).AssertError("author")
	notestest.Client(t, notestest.Ben, definition).Call("update-note", mcptest.Args{"id": 1}).AssertError("There is no note 1.")
	mcptest.Tool(t, tools.NewUpdateNoteTool(store), mcptest.Args{"id": 1}).AssertError("Log in first")
}
