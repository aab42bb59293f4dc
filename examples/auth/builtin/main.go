// This example has a route whose users log in with a password at the program's own
// authorization server.
//
//	go run ./examples/auth/builtin user:create ana@example.com
//	go run ./examples/auth/builtin serve
package main

import (
	"os"
	"path/filepath"

	"github.com/bowline-mcp/bowline/framework/auth/login"
	"github.com/bowline-mcp/bowline/framework/auth/oauth"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store/sqlite"
	"github.com/bowline-mcp/bowline/framework/env"
	"github.com/bowline-mcp/bowline/framework/mcp"

	"github.com/bowline-mcp/bowline/examples/auth/servers"
)

func main() {
	os.Exit(newApp(mcp.Config{Name: "Notes", Addr: env.String("APP_ADDR", "127.0.0.1:3000")}, "storage").Main())
}

// newApp returns an app whose users and keys are in a folder.
func newApp(config mcp.Config, folder string) *mcp.App {
	server := oauth.New(oauth.Config{
		Authenticator: login.Password(),
		Store:         "sqlite:" + filepath.Join(folder, "oauth.db"),
		Drivers:       []store.Driver{sqlite.Driver()},
		Keys:          filepath.Join(folder, "oauth.keys"),
		Scopes:        map[string]string{"notes:read": "Read your notes", "notes:write": "Add notes"},
		DefaultScopes: []string{"notes:read"},
	})
	app := mcp.New(config)
	app.Router.Component(server)
	app.Router.Web("/mcp/notes", &servers.NotesServer{}).Guard(server.Guard("notes:read"))
	return app
}
