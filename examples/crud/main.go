// This example serves the rows of a database: tools list, read, write and delete
// notes, and each note is a resource. The constructors of tools and resources
// take the database.
//
//	go run -C examples/crud . serve
package main

import (
	"log/slog"
	"os"

	"github.com/bowline-mcp/bowline/framework/env"
	"github.com/bowline-mcp/bowline/framework/mcp"

	"github.com/bowline-mcp/bowline/examples/crud/notes"
	"github.com/bowline-mcp/bowline/examples/crud/servers"
)

func main() { os.Exit(run()) }

func run() int {
	db, err := notes.Open(env.String("NOTES_DB", "notes.db"))
	if err != nil {
		slog.Error("the database can't be opened; set NOTES_DB to a file that can be written", "error", err)
		return 1
	}
	defer func() { _ = db.Close() }()
	app := mcp.New(mcp.Config{
		Name: "crud",
		Addr: env.String("APP_ADDR", "127.0.0.1:8080"),
		Key:  env.List("APP_KEY"),
	})
	server := servers.NewNotesServer(db)
	app.Router.Web("notes", server)   // POST /mcp/notes
	app.Router.Local("notes", server) // start notes
	return app.Main()
}
