// Package config reads the app's settings from the environment. It is outside the
// compatibility promise of the framework.
package config

import (
	"time"

	"github.com/bowline-mcp/bowline/framework/env"
	"github.com/bowline-mcp/bowline/framework/mcp"
)

// App configures the application.
func App() mcp.Config {
	return mcp.Config{
		// What the program is called, where it listens, and its URL as clients see it.
		Name: env.String("APP_NAME", "Demo"),
		Addr: env.String("APP_ADDR", "127.0.0.1:8080"),
		URL:  env.String("APP_URL", ""),

		// The secret that seals what clients carry; several, the newest first, to
		// replace it. Make one with: openssl rand -hex 32
		Key: env.List("APP_KEY"),

		// Which names the program answers to, and whose web pages may call it.
		AllowedHosts:   env.List("APP_ALLOWED_HOSTS"),
		AllowedOrigins: env.List("APP_ALLOWED_ORIGINS"),

		// Behind which proxies it runs, whose word for a client's address is taken.
		TrustedProxies: env.List("APP_TRUSTED_PROXIES"),

		// How the protocol is spoken.
		Versions:        env.List("APP_VERSIONS"),
		CoerceArguments: env.Bool("APP_COERCE_ARGUMENTS", false),

		// What a client may use.
		MaxBody:       env.Int("APP_MAX_BODY", 4<<20),
		MaxLine:       env.Int("APP_MAX_LINE", 4<<20),
		MaxDepth:      env.Int("APP_MAX_DEPTH", 64),
		MaxCalls:      env.Int("APP_MAX_CALLS", 64),
		Memory:        env.Int("APP_MEMORY", 256<<20),
		CallTimeout:   env.Duration("APP_CALL_TIMEOUT", 60*time.Second),
		HeaderTimeout: env.Duration("APP_HEADER_TIMEOUT", 10*time.Second),
		BodyTimeout:   env.Duration("APP_BODY_TIMEOUT", 30*time.Second),
		WriteTimeout:  env.Duration("APP_WRITE_TIMEOUT", 30*time.Second),
		KeepAlive:     env.Duration("APP_KEEP_ALIVE", 15*time.Second),

		// The share of one client over HTTP: of Memory, of calls that run, and once half of
		// them are open, of streams and sessions. 0 is the default: a quarter of Memory, and
		// a tenth of streams and sessions.
		ClientMemory:   env.Int("APP_CLIENT_MEMORY", 0),
		ClientCalls:    env.Int("APP_CLIENT_CALLS", 64),
		ClientStreams:  env.Int("APP_CLIENT_STREAMS", 0),
		ClientSessions: env.Int("APP_CLIENT_SESSIONS", 0),

		// Clients of older protocol versions have sessions.
		Sessions:    env.Int("APP_SESSIONS", 10_000),
		SessionIdle: env.Duration("APP_SESSION_IDLE", 30*time.Minute),

		// How they are asked while a call runs.
		AskTimeout: env.Duration("APP_ASK_TIMEOUT", 60*time.Second),
		AskRounds:  env.Int("APP_ASK_ROUNDS", 8),

		// How long running calls get when the program stops, or stdin ends.
		Drain:      env.Duration("APP_DRAIN", 10*time.Second),
		StdioDrain: env.Duration("APP_STDIO_DRAIN", 2*time.Second),

		// Debug shows the text of unexpected errors to clients. The log goes to stderr,
		// unless Logger is set; stdout belongs to the protocol.
		Debug: env.Bool("APP_DEBUG", false),
	}
}
