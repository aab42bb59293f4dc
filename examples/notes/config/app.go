// Package config reads the app's settings from the environment.
package config

import (
	"time"

	"github.com/bowline-mcp/bowline/framework/env"
	"github.com/bowline-mcp/bowline/framework/mcp"
)

// App returns the app's configuration.
func App() mcp.Config {
	return mcp.Config{
		// The program's name, the address it listens on, and its public URL.
		Name: env.String("APP_NAME", "Demo"),
		Addr: env.String("APP_ADDR", "127.0.0.1:8080"),
		URL:  env.String("APP_URL", ""),

		// The secret that seals data that clients store. To replace it, list the new one
		// first. Generate one with: openssl rand -hex 32
		Key: env.List("APP_KEY"),

		// The host names of the program, and the origins of web pages that may call it.
		AllowedHosts:   env.List("APP_ALLOWED_HOSTS"),
		AllowedOrigins: env.List("APP_ALLOWED_ORIGINS"),

		// The proxies whose X-Forwarded-For header is trusted.
		TrustedProxies: env.List("APP_TRUSTED_PROXIES"),

		// The protocol versions, and whether arguments are converted.
		Versions:        env.List("APP_VERSIONS"),
		CoerceArguments: env.Bool("APP_COERCE_ARGUMENTS", false),

		// Limits of messages, calls and time.
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

		// The limits for one client over HTTP: its part of Memory, its running calls,
		// its connections, and, while at least half of all are open, its streams and
		// sessions. 0 means the default: an eighth of Memory, a quarter of the file
		// descriptors, and a tenth of the streams and sessions.
		ClientMemory:      env.Int("APP_CLIENT_MEMORY", 0),
		ClientCalls:       env.Int("APP_CLIENT_CALLS", 64),
		ClientConnections: env.Int("APP_CLIENT_CONNECTIONS", 0),
		ClientStreams:     env.Int("APP_CLIENT_STREAMS", 0),
		ClientSessions:    env.Int("APP_CLIENT_SESSIONS", 0),

		// Sessions, which only clients older than 2026-07-28 have.
		Sessions:    env.Int("APP_SESSIONS", 10_000),
		SessionIdle: env.Duration("APP_SESSION_IDLE", 30*time.Minute),
		SessionLife: env.Duration("APP_SESSION_LIFE", 24*time.Hour),

		// Questions to these clients during a call.
		AskTimeout: env.Duration("APP_ASK_TIMEOUT", 60*time.Second),
		AskRounds:  env.Int("APP_ASK_ROUNDS", 8),

		// How long the program still serves after a signal to stop, while /readyz says so,
		// and the time that running calls have to finish then, or when stdin ends.
		DrainDelay: env.Duration("APP_DRAIN_DELAY", 0),
		Drain:      env.Duration("APP_DRAIN", 10*time.Second),
		StdioDrain: env.Duration("APP_STDIO_DRAIN", 2*time.Second),

		// The log goes to stderr, as text or json, from this level on; stdout is reserved for
		// the protocol.
		LogFormat: env.String("APP_LOG_FORMAT", "text"),
		LogLevel:  env.String("APP_LOG_LEVEL", "info"),

		// Debug shows the text of unexpected errors to clients.
		Debug: env.Bool("APP_DEBUG", false),
	}
}
