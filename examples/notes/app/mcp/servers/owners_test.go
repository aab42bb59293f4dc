package servers_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/mcptest"
)

func TestANoteOfAnotherUserDoesNotExist(t *testing.T) {
	ana := newClient(t)
	bo := ana.As(exchange.Principal{ID: "bo", Scopes: []string{"notes:delete"}})
	ana.Call("add-note", mcptest.Args{"title": "Knots", "text": "A bowline holds."}).AssertOK()

	bo.Call("list-notes", nil).AssertOK().AssertStructured(map[string]any{"notes": []any{}})
	bo.Read("notes://1").AssertError("not found")
	bo.Call("delete-note", mcptest.Args{"id": 1}).AssertError("There is no note 1.")
	ana.Read("notes://1").AssertOK()
}

func TestANoteNeedsAnOwner(t *testing.T) {
	nobody := newClient(t).As(exchange.Principal{})
	nobody.Call("add-note", mcptest.Args{"title": "Knots", "text": "A bowline holds."}).AssertError("Log in first.")
	nobody.Call("list-notes", nil).AssertError("Log in first.")
	nobody.Read("notes://1").AssertError("Log in first.")
}

func TestDeletingANoteNeedsAScopeAndTheConsentOfTheUser(t *testing.T) {
	ana := newClient(t)
	ana.Call("add-note", mcptest.Args{"title": "Knots", "text": "A bowline holds."}).AssertOK()
	ana.Call("delete-note", mcptest.Args{"id": 1}).AssertForbidden("notes:delete")

	deleter := ana.As(exchange.Principal{ID: "ana", Scopes: []string{"notes:delete"}}).Can("elicitation")
	asked := deleter.Call("delete-note", mcptest.Args{"id": 1}).AssertAsks("confirmed", `Delete note 1, "Knots"?`)
	asked.Decline("confirmed")
	ana.Read("notes://1").AssertOK()
	asked.Respond("confirmed", nil).AssertOK().AssertSee("Note 1 is deleted.")
	ana.Read("notes://1").AssertError("not found")
}
