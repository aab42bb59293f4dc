// Package routes maps the example's server to an HTTP path and a stdio handle.
package routes

import (
	"github.com/bowline-mcp/bowline/framework/auth"
	"github.com/bowline-mcp/bowline/framework/env"
	bowline "github.com/bowline-mcp/bowline/framework/mcp"

	"github.com/bowline-mcp/bowline/examples/crud/app/mcp/servers"
	"github.com/bowline-mcp/bowline/examples/crud/app/notes"
)

// AI maps the server. Over HTTP, each token is that of a user.
func AI(mcp *bowline.Router, noteStore notes.Store) {
	server := &servers.NotesServer{Notes: noteStore}
	mcp.Web("notes", server).Guard(auth.Bearer(auth.Static(env.List("NOTES_TOKENS")...)))
	mcp.Local("notes", server)
}
