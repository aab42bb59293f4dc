// Package routes maps the app's servers to HTTP paths and stdio handles. It is
// outside the compatibility promise of the framework.
package routes

import (
	"github.com/bowline-mcp/bowline/framework/auth"
	"github.com/bowline-mcp/bowline/framework/mcp"

	"github.com/bowline-mcp/bowline/app/mcp/servers"
)

// AI maps servers to HTTP paths and stdio handles. The verifier accepts the access tokens
// of guarded routes.
func AI(mcp *mcp.Router, tokens auth.Verifier) {
	demo := &servers.DemoServer{}
	mcp.Web("demo", demo)                                          // POST /mcp/demo
	mcp.Web("private", demo).Guard(auth.Bearer(tokens, "mcp:use")) // the same, with a token
	mcp.Local("demo", demo)                                        // mcp start demo
}
