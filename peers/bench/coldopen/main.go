// Coldopen is the reference app without its authorization server, so without SQLite.
package main

import (
	"os"

	"github.com/bowline-mcp/bowline/app/mcp/servers"
	"github.com/bowline-mcp/bowline/framework/mcp"
)

func main() {
	app := mcp.New(mcp.Config{})
	app.Router.Local("demo", &servers.DemoServer{})
	os.Exit(app.Main())
}
