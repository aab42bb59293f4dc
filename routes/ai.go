// Package routes maps the app's servers to HTTP paths and stdio handles. It is
// outside the compatibility promise of the framework.
package routes

import (
	"github.com/bowline-mcp/bowline/framework/mcp"

	"github.com/bowline-mcp/bowline/app/mcp/servers"
)

// AI maps servers to HTTP paths and stdio handles.
func AI(mcp *mcp.Router) {
	demo := &servers.DemoServer{}
	mcp.Web("demo", demo)   // POST /mcp/demo
	mcp.Local("demo", demo) // mcp start demo
}
