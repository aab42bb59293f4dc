package config

import (
	"github.com/bowline-mcp/bowline/framework/auth/login"
	"github.com/bowline-mcp/bowline/framework/auth/oauth"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store/sqlite"
)

// OAuth returns the configuration of the app's authorization server, where users log in and
// let clients use the guarded routes.
func OAuth() oauth.Config {
	return oauth.Config{
		Authenticator: login.Password(),
		Store:         "sqlite:storage/oauth.db",
		Drivers:       []store.Driver{sqlite.Driver()},
		Keys:          "storage/oauth.keys",

		// The scopes that clients can get, with the texts for the page on which users decide.
		Scopes: map[string]string{
			"mcp:use":      "Read your notes and add new ones",
			"notes:delete": "Delete notes",
		},
	}
}
