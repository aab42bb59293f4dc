// This example has one small tool for each thing that a tool can return or do. The
// official conformance suite runs against it.
//
//	go run ./examples/everything serve
package main

import (
	"os"

	"github.com/bowline-mcp/bowline/framework/auth"
	"github.com/bowline-mcp/bowline/framework/env"
	"github.com/bowline-mcp/bowline/framework/mcp"

	"github.com/bowline-mcp/bowline/examples/everything/scopes"
	"github.com/bowline-mcp/bowline/examples/everything/servers"
)

func main() {
	app := mcp.New(mcp.Config{
		Name: "everything",
		Addr: env.String("APP_ADDR", "127.0.0.1:3000"),
	})
	everything := &servers.EverythingServer{}
	app.Router.Web("/mcp", everything).LegacySSE().Guard(scopes.Guard()) // POST /mcp; for older clients GET /mcp/sse
	app.Router.Local("everything", everything)                           // start everything

	// The same with a token. Make one with: mcp auth:token NAME
	tokens := auth.Static(env.List("APP_TOKENS")...)
	app.Router.Web("/guarded", everything).LegacySSE().Guard(auth.Bearer(tokens))
	os.Exit(app.Main())
}
