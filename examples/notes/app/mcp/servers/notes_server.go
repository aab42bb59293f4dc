// Package servers has the app's MCP servers.
package servers

import (
	"github.com/bowline-mcp/bowline/framework/servers"

	"github.com/bowline-mcp/bowline/examples/notes/app/mcp/resources"
	"github.com/bowline-mcp/bowline/examples/notes/app/mcp/tools"
	"github.com/bowline-mcp/bowline/examples/notes/app/notes"
)

// NotesServer keeps notes.
type NotesServer struct {
	servers.Server
	store *notes.Store
}

// NewNotesServer returns the server for the notes of a store.
func NewNotesServer(store *notes.Store) *NotesServer { return &NotesServer{store: store} }

// Tools returns the server's tools.
func (s *NotesServer) Tools() []servers.Tool {
	return []servers.Tool{
		tools.NewAddNoteTool(s.store),
		tools.NewListNotesTool(s.store),
		tools.NewDeleteNoteTool(s.store),
	}
}

// Resources returns the server's resources.
func (s *NotesServer) Resources() []servers.Resource {
	return []servers.Resource{resources.NewNoteResource(s.store)}
}
