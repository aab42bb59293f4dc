// Package servers has the example's server.
package servers

import (
	"github.com/bowline-mcp/bowline/framework/servers"

	"github.com/bowline-mcp/bowline/examples/crud/app/mcp/prompts"
	"github.com/bowline-mcp/bowline/examples/crud/app/mcp/resources"
	"github.com/bowline-mcp/bowline/examples/crud/app/mcp/tools"
	"github.com/bowline-mcp/bowline/examples/crud/app/notes"
)

// NotesServer keeps notes.
type NotesServer struct {
	servers.Server

	// Notes keeps the notes.
	Notes notes.Store
}

// Description says in a sentence what the server is for.
func (*NotesServer) Description() string { return "Keeps the notes of each user." }

// Tools returns the server's tools.
func (s *NotesServer) Tools() []servers.Tool {
	return []servers.Tool{
		tools.NewListNotesTool(s.Notes),
		tools.NewShowNoteTool(s.Notes),
		tools.NewCreateNoteTool(s.Notes),
		tools.NewUpdateNoteTool(s.Notes),
		tools.NewDeleteNoteTool(s.Notes),
	}
}

// Resources returns the server's resources and templates.
func (s *NotesServer) Resources() []servers.Resource {
	return []servers.Resource{
		resources.NewNoteResource(s.Notes),
	}
}

// Prompts returns the server's prompts.
func (s *NotesServer) Prompts() []servers.Prompt {
	return []servers.Prompt{
		prompts.NewWriteNotePrompt(s.Notes),
	}
}
