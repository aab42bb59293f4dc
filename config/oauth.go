package config

import (
	"github.com/bowline-mcp/bowline/framework/auth/login"
	"github.com/bowline-mcp/bowline/framework/auth/oauth"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store/sqlite"
	"github.com/bowline-mcp/bowline/framework/env"
)

// OAuth returns the configuration of the app's authorization server, where users log in and
// let clients use the guarded routes.
func OAuth() oauth.Config {
	return oauth.Config{
		// Users log in with a name and a password. Add one with: mcp user:create EMAIL
		Authenticator: login.Password(),

		// The store of clients, users and grants. For another database, add the driver of
		// its package: postgres.Driver() or redis.Driver().
		Store:   env.String("OAUTH_STORE", "sqlite:storage/oauth.db"),
		Drivers: []store.Driver{sqlite.Driver()},

		// The file of the keys that sign access tokens, or one key in PEM.
		Keys:       env.String("OAUTH_KEYS", "storage/oauth.keys"),
		PrivateKey: env.String("OAUTH_PRIVATE_KEY", ""),

		// Whether clients may register themselves, and do so without a secret. Most AI clients
		// need both.
		NoRegistration:  !env.Bool("OAUTH_REGISTRATION", true),
		NoPublicClients: !env.Bool("OAUTH_PUBLIC_CLIENTS", true),

		// The private schemes of redirect URIs that clients may register, besides those with a
		// dot, and how long the access token of a client without a secret is valid. The defaults
		// are those of known clients, and AccessTime.
		RedirectSchemes:  env.List("OAUTH_REDIRECT_SCHEMES"),
		PublicAccessTime: env.Duration("OAUTH_PUBLIC_ACCESS_TIME", 0),

		// The scopes that clients can get, with the texts for the page on which users decide.
		Scopes: map[string]string{"mcp:use": "Use the tools of this server"},
	}
}
