package resources_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcptest"
	"github.com/bowline-mcp/bowline/framework/servers"

	"github.com/bowline-mcp/bowline/examples/crud/app/mcp/resources"
	"github.com/bowline-mcp/bowline/examples/crud/app/notes/notestest"
)

func TestNoteResource(t *testing.T) {
	store := notestest.Open(t)
	notestest.Create(t, store, notestest.Ana, notestest.First())
	definition := servers.Definition{Resources: []servers.Resource{resources.NewNoteResource(store)}}
	client := notestest.Client(t, notestest.Ana, definition)
	client.Read("app://notes/1").AssertOK().AssertSee(`"id": 1`)
	client.Read("app://notes/2").AssertError("Resource not found")
	client.Read("app://notes/first").AssertError("Resource not found")
	client.CompleteResource("app://notes/{id}", "id", "", nil).AssertCompletes("1")
	other := notestest.Client(t, notestest.Ben, definition)
	other.Read("app://notes/1").AssertError("Resource not found")
	other.CompleteResource("app://notes/{id}", "id", "", nil).AssertCompletes()
	mcptest.Resource(t, resources.NewNoteResource(store), "app://notes/1").AssertError("Log in first")
}
