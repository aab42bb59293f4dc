package config

import (
	"github.com/bowline-mcp/bowline/framework/auth"
	"github.com/bowline-mcp/bowline/framework/env"
)

// Auth returns the verifier of the access tokens of guarded routes: static tokens. A server
// whose users log in with a company's issuer has auth.JWT instead.
func Auth() auth.Verifier {
	// Each token is a name, the SHA-256 of the token, and its scopes, separated by spaces.
	// Make one with: mcp auth:token NAME mcp:use
	return auth.Static(env.List("APP_TOKENS")...)
}
