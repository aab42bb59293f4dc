package servers_test

import (
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcptest"

	"github.com/bowline-mcp/bowline/examples/crud/notes"
	"github.com/bowline-mcp/bowline/examples/crud/servers"
)

// client returns a client of a server whose database is in memory, with two notes.
func client(t *testing.T) *mcptest.Client {
	t.Helper()
	db, err := notes.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	client := mcptest.New(t, servers.NewNotesServer(db))
	client.Call("create-note", mcptest.Args{"title": "Knots", "text": "A bowline holds."}).
		AssertOK().
		AssertStructured(map[string]any{"id": 1, "title": "Knots", "text": "A bowline holds."})
	client.Call("create-note", mcptest.Args{"title": "Sails", "text": ""}).AssertOK()
	return client
}

func TestNotesServer(t *testing.T) { mcptest.Check(t, servers.NewNotesServer(nil)) }

func TestNotesAreListedTheNewestFirst(t *testing.T) {
	client := client(t)
	client.Call("list-notes", nil).AssertOK().AssertStructured(map[string]any{"notes": []any{
		map[string]any{"id": 2, "title": "Sails", "text": ""},
		map[string]any{"id": 1, "title": "Knots", "text": "A bowline holds."},
	}})
	client.Call("list-notes", mcptest.Args{"limit": 1}).AssertOK().AssertStructured(map[string]any{"notes": []any{
		map[string]any{"id": 2, "title": "Sails", "text": ""},
	}})
	client.Call("list-notes", mcptest.Args{"limit": 1000}).AssertError("limit")
}

func TestANoteIsReadByItsID(t *testing.T) {
	client := client(t)
	client.Call("get-note", mcptest.Args{"id": 1}).AssertOK().AssertSee("A bowline holds.")
	client.Call("get-note", mcptest.Args{"id": 7}).AssertError("There is no note 7. list-notes tells which there are.")
	client.Call("get-note", mcptest.Args{"id": "1 OR 1=1"}).AssertError("id")
}

func TestANoteIsDeletedOnceTheUserAgrees(t *testing.T) {
	client := client(t).Can("elicitation")
	asked := client.Call("delete-note", mcptest.Args{"id": 1}).AssertAsks("confirmed", "Delete note 1, \"Knots\"?")
	asked.Decline("confirmed").AssertOK().AssertSee("declined")
	client.Call("get-note", mcptest.Args{"id": 1}).AssertOK()
	asked.Respond("confirmed", nil).AssertOK().AssertSee("Note 1 is deleted.")
	client.Call("get-note", mcptest.Args{"id": 1}).AssertError("There is no note 1.")
	asked.Respond("confirmed", nil).AssertError("There is no note 1.")
	client.Call("delete-note", mcptest.Args{"id": 7}).AssertError("There is no note 7.")
}

func TestWhatIsWrongWithTheDatabaseIsOnlyLogged(t *testing.T) {
	db, err := notes.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	client := mcptest.New(t, servers.NewNotesServer(db))
	for _, result := range []*mcptest.Result{
		client.Call("list-notes", nil).AssertError(),
		client.Call("get-note", mcptest.Args{"id": 1}).AssertError(),
		client.Call("create-note", mcptest.Args{"title": "a", "text": "b"}).AssertError(),
		client.Call("delete-note", mcptest.Args{"id": 1, "confirmed": true}).AssertError(),
		client.Read("notes://1").AssertError("Internal error"),
		client.CompleteResource("notes://{id}", "id", "", nil).AssertError("Internal error"),
	} {
		if text := result.Text(); strings.Contains(text, "sql") || strings.Contains(text, "closed") {
			t.Errorf("the client reads %q", text)
		}
	}
}

func TestEachNoteIsAResource(t *testing.T) {
	client := client(t)
	client.Read("notes://1").AssertOK().AssertSee("# Knots\n\nA bowline holds.")
	for _, uri := range []string{"notes://3", "notes://one", "notes://1%20OR%201=1", "notes://"} {
		client.Read(uri).AssertError("Resource not found")
	}
}

func TestTheIDOfANoteIsCompleted(t *testing.T) {
	client := client(t)
	client.CompleteResource("notes://{id}", "id", "", nil).AssertOK().AssertSee("1\n2")
	for typed, want := range map[string]int{"2": 1, "%": 0, "3": 0} {
		if values := client.CompleteResource("notes://{id}", "id", typed, nil).AssertOK().Completion.Values; len(values) != want {
			t.Errorf("%q is completed to %q, want %d of them", typed, values, want)
		}
	}
}
