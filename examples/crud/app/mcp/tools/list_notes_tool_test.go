package tools_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcptest"
	"github.com/bowline-mcp/bowline/framework/servers"

	"github.com/bowline-mcp/bowline/examples/crud/app/mcp/tools"
	"github.com/bowline-mcp/bowline/examples/crud/app/notes/notestest"
)

func TestListNotesTool(t *testing.T) {
	store := notestest.Open(t)
	client := notestest.Client(t, notestest.Ana, servers.Definition{Tools: []servers.Tool{tools.NewListNotesTool(store)}})
	client.Call("list-notes", nil).AssertOK().AssertStructured(map[string]any{"notes": []any{}})
	first := notestest.JSON(t, notestest.Create(t, store, notestest.Ana, notestest.First()))
	second := notestest.JSON(t, notestest.Create(t, store, notestest.Ana, notestest.Second()))
	client.Call("list-notes", nil).AssertOK().AssertStructured(map[string]any{"notes": []any{second, first}})
	page := client.Call("list-notes", mcptest.Args{"limit": 1}).AssertOK()
	structured, _ := page.Call.StructuredContent.(map[string]any)
	client.Call("list-notes", mcptest.Args{"limit": 1, "cursor": structured["nextCursor"]}).AssertOK().
		AssertStructured(map[string]any{"notes": []any{first}})
	client.Call("list-notes", mcptest.Args{"cursor": "x"}).AssertError("Pass the nextCursor of the page before")
	client.Call("list-notes", mcptest.Args{"search": "(title 1)"}).AssertOK().
		AssertStructured(map[string]any{"notes": []any{first}})
	client.Call("list-notes", mcptest.Args{"status": second["status"]}).AssertOK().
		AssertStructured(map[string]any{"notes": []any{second}})
	client.Call("list-notes", mcptest.Args{"done": second["done"]}).AssertOK().
		AssertStructured(map[string]any{"notes": []any{second}})
	other := notestest.Client(t, notestest.Ben, servers.Definition{Tools: []servers.Tool{tools.NewListNotesTool(store)}})
	other.Call("list-notes", nil).AssertOK().AssertStructured(map[string]any{"notes": []any{}})
	mcptest.Tool(t, tools.NewListNotesTool(store), nil).AssertError("Log in first")
}
