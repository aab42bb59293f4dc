// This example has a route whose users the company's identity provider lets in: clients exchange
// its identity assertions (ID-JAG) for access tokens, and nobody logs in here.
//
//	IDENTITY_PROVIDER=https://acme.okta.com go run ./examples/auth/enterprise serve
package main

import (
	"os"
	"path/filepath"

	"github.com/bowline-mcp/bowline/framework/auth"
	"github.com/bowline-mcp/bowline/framework/auth/login"
	"github.com/bowline-mcp/bowline/framework/auth/oauth"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store/sqlite"
	"github.com/bowline-mcp/bowline/framework/env"
	"github.com/bowline-mcp/bowline/framework/mcp"

	"github.com/bowline-mcp/bowline/examples/auth/servers"
)

func main() {
	config := mcp.Config{Name: "Notes", Addr: env.String("APP_ADDR", "127.0.0.1:3000")}
	os.Exit(newApp(config, "storage", env.String("IDENTITY_PROVIDER", "")).Main())
}

// newApp returns an app that trusts an identity provider. Users without one, such as partners,
// log in with a password.
func newApp(config mcp.Config, folder, provider string) *mcp.App {
	server := oauth.New(oauth.Config{
		Authenticator:     login.Password(),
		IdentityProviders: []auth.Issuer{{URL: provider}},
		Store:             "sqlite:" + filepath.Join(folder, "oauth.db"),
		Drivers:           []store.Driver{sqlite.Driver()},
		Keys:              filepath.Join(folder, "oauth.keys"),
		Scopes:            map[string]string{"notes:read": "Read your notes", "notes:write": "Add notes"},
		DefaultScopes:     []string{"notes:read"},
	})
	app := mcp.New(config)
	app.Router.Component(server)
	app.Router.Web("/mcp/notes", &servers.NotesServer{}).Guard(server.Guard("notes:read"))
	return app
}
