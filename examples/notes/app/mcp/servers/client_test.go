package servers_test

import (
	"path/filepath"
	"testing"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/mcptest"

	"github.com/bowline-mcp/bowline/examples/notes/app/mcp/servers"
	"github.com/bowline-mcp/bowline/examples/notes/app/notes"
)

// newClient returns a client of the user ana. The server has no notes yet.
func newClient(t *testing.T) *mcptest.Client {
	t.Helper()
	store, err := notes.Open(t.Context(), filepath.Join(t.TempDir(), "notes.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return mcptest.New(t, servers.NewNotesServer(store)).As(exchange.Principal{ID: "ana"})
}
