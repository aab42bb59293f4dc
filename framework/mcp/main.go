package mcp

import (
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/internal/engine/server"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// Main runs the command line of a program with one server, and returns its exit code as
// [App.Main] does. The path and the handle are the server's name: serve maps the server
// calculator to POST /mcp/calculator, and start calculator serves it on stdio.
//
//	os.Exit(mcp.Main(mcp.Config{}, servers.New(servers.Definition{Name: "calculator", Tools: …})))
//
// To add routes, guards or a second server, call [New] and map them with its Router.
func Main(config Config, served servers.Interface) int { return single(config, served).Main() }

// single returns an app with one server.
func single(config Config, served servers.Interface) *App {
	app, name := New(config), "server" // starting the app reports that there is no server
	if server.Check(served) == nil {
		name = naming.Server.NameOf(served)
	}
	app.Router.Web(name, served)
	app.Router.Local(name, served)
	return app
}
