// Package servers has the example's server.
package servers

import (
	"database/sql"

	"github.com/bowline-mcp/bowline/framework/servers"

	"github.com/bowline-mcp/bowline/examples/crud/resources"
	"github.com/bowline-mcp/bowline/examples/crud/tools"
)

// NotesServer serves the notes of a database.
type NotesServer struct {
	servers.Server
	db *sql.DB
}

// NewNotesServer returns a server for the notes of a database.
func NewNotesServer(db *sql.DB) *NotesServer { return &NotesServer{db: db} }

// Description says in a sentence what the server is for.
func (*NotesServer) Description() string { return "Keeps notes in a database." }

// Tools lists what the server offers.
func (s *NotesServer) Tools() []servers.Tool {
	return []servers.Tool{
		tools.NewListNotesTool(s.db),
		tools.NewGetNoteTool(s.db),
		tools.NewCreateNoteTool(s.db),
		tools.NewDeleteNoteTool(s.db),
	}
}

// Resources lists what can be read.
func (s *NotesServer) Resources() []servers.Resource {
	return []servers.Resource{resources.NewNoteResource(s.db)}
}
