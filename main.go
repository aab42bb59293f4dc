// This program serves the servers of routes/ai.go, over HTTP and on stdio.
package main

import (
	"fmt"
	"os"

	"github.com/bowline-mcp/bowline/framework/auth/oauth"
	"github.com/bowline-mcp/bowline/framework/env"
	"github.com/bowline-mcp/bowline/framework/mcp"

	"github.com/bowline-mcp/bowline/config"
	"github.com/bowline-mcp/bowline/routes"
)

//go:generate mcp generate

func main() {
	if err := env.Load(".env"); err != nil {
		fmt.Fprintln(os.Stderr, "bowline:", err)
		os.Exit(1)
	}
	app := mcp.New(config.App())
	routes.AI(app.Router, oauth.New(config.OAuth()))
	os.Exit(app.Main())
}
