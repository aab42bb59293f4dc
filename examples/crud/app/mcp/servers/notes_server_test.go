package servers_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcptest"

	"github.com/bowline-mcp/bowline/examples/crud/app/mcp/servers"
	"github.com/bowline-mcp/bowline/examples/crud/app/notes/notestest"
)

func TestNotesServer(t *testing.T) { mcptest.Check(t, &servers.NotesServer{Notes: notestest.Open(t)}) }
