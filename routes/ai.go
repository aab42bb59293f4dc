// Package routes maps the app's servers to HTTP paths and stdio handles.
package routes

import (
	"github.com/bowline-mcp/bowline/framework/auth/oauth"
	bowline "github.com/bowline-mcp/bowline/framework/mcp"

	"github.com/bowline-mcp/bowline/app/mcp/servers"
)

// AI maps servers to HTTP paths and stdio handles. Clients of guarded routes get their access
// tokens from the authorization server.
func AI(mcp *bowline.Router, auth *oauth.Server) {
	demo := &servers.DemoServer{}
	mcp.Component(auth)                                   // where users log in
	mcp.Web("demo", demo).Public()                        // POST /mcp/demo, for everybody
	mcp.Web("private", demo).Guard(auth.Guard("mcp:use")) // the same, for users who are logged in
	mcp.Local("demo", demo)                               // mcp start demo
}
