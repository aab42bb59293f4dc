// This example has an authorization server whose users log in with their GitHub accounts, or
// at an OpenID provider.
//
//	CLIENT_ID=... CLIENT_SECRET=... ALLOWED_EMAILS=you@example.com go run ./examples/auth/upstream serve
package main

import (
	"log/slog"
	"os"

	"github.com/bowline-mcp/bowline/framework/auth/oauth"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store/sqlite"
	"github.com/bowline-mcp/bowline/framework/auth/upstream"
	"github.com/bowline-mcp/bowline/framework/env"
	"github.com/bowline-mcp/bowline/framework/mcp"

	"github.com/bowline-mcp/bowline/examples/auth/servers"
)

func main() {
	app := newApp(env.String("APP_ADDR", "127.0.0.1:3000"), provider(), env.String("STORAGE", "storage"), slog.New(slog.NewTextHandler(os.Stderr, nil)))
	os.Exit(app.Main())
}

// provider returns the provider that the environment names: the OpenID provider at ISSUER, or
// GitHub.
func provider() *upstream.Provider {
	config := upstream.Config{
		ClientID:     env.String("CLIENT_ID", ""),
		ClientSecret: env.String("CLIENT_SECRET", ""),
		URL:          env.String("ISSUER", ""),
		Allow:        upstream.Emails(env.List("ALLOWED_EMAILS")...),
	}
	if config.URL != "" {
		return upstream.OIDC(config)
	}
	return upstream.GitHub(config)
}

// newApp returns an app that keeps its grants in a folder.
func newApp(addr string, provider *upstream.Provider, storage string, log *slog.Logger) *mcp.App {
	app := mcp.New(mcp.Config{Name: "notes", Addr: addr, Logger: log})
	server := oauth.New(oauth.Config{
		Authenticator: provider,
		Store:         "sqlite:" + storage + "/oauth.db",
		Drivers:       []store.Driver{sqlite.Driver()},
		Keys:          storage + "/oauth.keys",
		Scopes:        map[string]string{"notes:read": "Read your notes", "notes:write": "Add notes"},
	})
	app.Router.Component(server)
	app.Router.Web("/mcp/notes", &servers.NotesServer{}).Guard(server.Guard("notes:read", "notes:write"))
	return app
}
