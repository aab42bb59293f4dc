package tools_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcptest"
	"github.com/bowline-mcp/bowline/framework/servers"

	"github.com/bowline-mcp/bowline/examples/crud/app/mcp/tools"
	"github.com/bowline-mcp/bowline/examples/crud/app/notes/notestest"
)

func TestCreateNoteTool(t *testing.T) {
	store := notestest.Open(t)
	client := notestest.Client(t, notestest.Ana, servers.Definition{Tools: []servers.Tool{tools.NewCreateNoteTool(store)}})
	input := notestest.JSON(t, notestest.First())
	want := notestest.JSON(t, notestest.First())
	want["id"] = 1
	want["author"] = notestest.Ana
	client.Call("create-note", input).AssertOK().AssertStructured(want)
	delete(input, "title")
	client.Call("create-note", input).AssertError("title")
	input["title"] = want["title"]
	delete(input, "body")
	client.Call("create-note", input).AssertError("body")
	input["body"] = want["body"]
	delete(input, "status")
	client.Call("create-note", input).AssertError("status")
	input["status"] = want["status"]
	delete(input, "done")
	client.Call("create-note", input).AssertError("done")
	input["done"] = want["done"]
	delete(input, "tags")
	client.Call("create-note", input).AssertError("tags")
	input["tags"] = want["tags"]
	input["author"] = notestest.Ben
	client.Call("create-note", input).AssertError("author") // the caller is the owner
	mcptest.Tool(t, tools.NewCreateNoteTool(store), notestest.JSON(t, notestest.First())).AssertError("Log in first")
}
