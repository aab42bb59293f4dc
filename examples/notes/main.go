// This program serves the servers of routes/ai.go, over HTTP and on stdio.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/bowline-mcp/bowline/framework/auth/oauth"
	"github.com/bowline-mcp/bowline/framework/env"
	"github.com/bowline-mcp/bowline/framework/mcp"

	"github.com/bowline-mcp/bowline/examples/notes/app/notes"
	"github.com/bowline-mcp/bowline/examples/notes/config"
	"github.com/bowline-mcp/bowline/examples/notes/routes"
)

//go:generate mcp generate

func main() { os.Exit(run()) }

// run returns the exit code.
func run() int {
	if err := env.Load(".env"); err != nil {
		fmt.Fprintln(os.Stderr, "notes:", err)
		return 1
	}
	store, err := notes.Open(context.Background(), "storage/notes.db")
	if err != nil {
		fmt.Fprintln(os.Stderr, "notes:", err)
		return 1
	}
	defer func() { _ = store.Close() }()
	app := mcp.New(config.App())
	routes.AI(app.Router, oauth.New(config.OAuth()), store)
	return app.Main()
}
