// This example keeps notes in a database. Each note belongs to the user who makes it: mcp make:crud
// has written all but the beginnings of main.go, routes/ai.go and the server.
//
//	NOTES_TOKENS=secret-of-ana,secret-of-ben go run -C examples/crud . serve
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/bowline-mcp/bowline/framework/database/sqlite"
	"github.com/bowline-mcp/bowline/framework/env"
	"github.com/bowline-mcp/bowline/framework/mcp"

	"github.com/bowline-mcp/bowline/examples/crud/app/notes/notesdb"
	"github.com/bowline-mcp/bowline/examples/crud/routes"
)

func main() {
	app := mcp.New(mcp.Config{
		Name: "crud",
		Addr: env.String("APP_ADDR", "127.0.0.1:8080"),
		Key:  env.List("APP_KEY"),
	})
	db, err := sqlite.Open(context.Background(), "storage/app.db") // or postgres.Open with a URL
	if err != nil {
		fmt.Fprintln(os.Stderr, "open the database:", err)
		os.Exit(1)
	}
	noteStore, err := notesdb.New(context.Background(), db)
	if err != nil {
		fmt.Fprintln(os.Stderr, "open the store of notes:", err)
		os.Exit(1)
	}
	routes.AI(app.Router, noteStore)
	code := app.Main()
	_ = db.Close()
	os.Exit(code)
}
