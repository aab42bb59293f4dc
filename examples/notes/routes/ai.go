// Package routes maps the app's servers to HTTP paths and stdio handles.
package routes

import (
	"github.com/bowline-mcp/bowline/framework/auth/oauth"
	bowline "github.com/bowline-mcp/bowline/framework/mcp"

	"github.com/bowline-mcp/bowline/examples/notes/app/mcp/servers"
	"github.com/bowline-mcp/bowline/examples/notes/app/notes"
)

// AI maps servers to HTTP paths and stdio handles. Clients of guarded routes get their access
// tokens from the authorization server.
func AI(mcp *bowline.Router, auth *oauth.Server, store *notes.Store) {
	server := servers.NewNotesServer(store)
	mcp.Component(auth)                                                         // where users log in
	mcp.Web("notes", server).Guard(auth.Guard("mcp:use").Offer("notes:delete")) // POST /mcp/notes
	mcp.Local("notes", server)                                                  // mcp start notes
}
