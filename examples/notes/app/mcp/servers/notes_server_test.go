package servers_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcptest"

	"github.com/bowline-mcp/bowline/examples/notes/app/mcp/servers"
)

func TestNotesServer(t *testing.T) { mcptest.Check(t, servers.NewNotesServer(nil)) }

func TestANoteIsAdded(t *testing.T) {
	client := newClient(t)
	client.Call("add-note", mcptest.Args{"title": "Knots", "text": "A bowline holds."}).
		AssertOK().
		AssertStructured(map[string]any{"id": 1, "title": "Knots", "text": "A bowline holds."})
	client.Call("add-note", mcptest.Args{"title": "", "text": "A bowline holds."}).AssertError("title")
}

func TestNotesAreListedTheNewestFirst(t *testing.T) {
	client := newClient(t)
	client.Call("list-notes", nil).AssertOK().AssertStructured(map[string]any{"notes": []any{}})
	client.Call("add-note", mcptest.Args{"title": "Knots", "text": "A bowline holds."}).AssertOK()
	client.Call("add-note", mcptest.Args{"title": "Sails", "text": "Reef early."}).AssertOK()
	client.Call("list-notes", mcptest.Args{"limit": 1}).AssertOK().AssertStructured(map[string]any{"notes": []any{
		map[string]any{"id": 2, "title": "Sails", "text": "Reef early."},
	}})
	client.Call("list-notes", mcptest.Args{"limit": 1000}).AssertError("limit")
}

func TestANoteIsAResource(t *testing.T) {
	client := newClient(t)
	client.Call("add-note", mcptest.Args{"title": "Knots", "text": "A bowline holds."}).AssertOK()
	client.Read("notes://1").AssertOK().AssertSee("# Knots", "A bowline holds.")
	client.Read("notes://2").AssertError("not found")
	client.Read("notes://first").AssertError("not found")
}
