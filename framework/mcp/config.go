package mcp

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/framework/logging"
	"github.com/bowline-mcp/bowline/framework/mcp/internal/console"
	"github.com/bowline-mcp/bowline/framework/store"
	"github.com/bowline-mcp/bowline/framework/tools"
	"github.com/bowline-mcp/bowline/internal/engine/transport"
	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/requestlog"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// Off switches a limit off where its documentation says so.
const Off = -1

// Config is the configuration of an [App]. The zero value of every field is its
// default. The names in parentheses are the environment variables that
// config/app.go of an app reads; this package reads none.
type Config struct {
	// Name is the program's name in its log (APP_NAME). The default is "app".
	Name string

	// Addr is where HTTP is served (APP_ADDR). The default is 127.0.0.1:8080.
	Addr string

	// URL is the program's URL as clients see it (APP_URL). The program answers to its
	// host name. The identifiers and metadata of guarded routes begin with it; see
	// [Route.Guard]. A path in it is one that a proxy removes from requests; the endpoint
	// that [Route.LegacySSE] names has it.
	URL string

	// Key is the secret that seals state which clients carry (APP_KEY). It has at least
	// 16 characters. For rotation, give several, the newest first. Without a key a
	// random one is used; then neither cursors nor the answers to questions nor the sessions
	// of older clients survive a restart.
	Key []string

	// Store keeps the state that several processes of the program share: the sessions of older
	// clients, the events of their streams and the answers to questions. It also tells all
	// processes of changes. Then a client may reach another process with each request. All
	// processes have the same Name and Key. Whoever opens the store closes it, after the program
	// has ended. The default is none: the state is in the memory of the process, and is lost
	// with it. While the store fails, older clients get 503 and a Retry-After header.
	Store store.Store

	// Debug shows clients the text of unexpected errors, and the routes if they ask for a
	// path without one (APP_DEBUG).
	Debug bool

	// Versions are the protocol versions to support (APP_VERSIONS). The default is all:
	// 2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05.
	Versions []string

	// CoerceArguments converts an argument of another type where that is safe, such as
	// "3" for a number, or a list as JSON in a string (APP_COERCE_ARGUMENTS). The guide lists
	// the conversions (docs/guide/clients.md).
	CoerceArguments bool

	// AllowedHosts are names that the program answers to, without ports, besides
	// that of URL (APP_ALLOWED_HOSTS). On a loopback address it always answers to
	// loopback names.
	AllowedHosts []string

	// AllowedOrigins are the origins whose web pages may call the program, such as
	// https://app.example.com (APP_ALLOWED_ORIGINS). They get CORS headers. The default
	// is none.
	AllowedOrigins []string

	// TrustedProxies are the addresses and networks, such as 10.0.0.0/8, of the proxies
	// that requests come through (APP_TRUSTED_PROXIES). The client's address is then
	// the last entry in X-Forwarded-For that isn't a trusted proxy. The header
	// Forwarded is ignored, since a proxy that doesn't set it passes on the client's
	// own. The default is none: the client has the address of the connection. The
	// first time that another proxy at a loopback or private address names a client,
	// the log warns with the setting to add.
	TrustedProxies []string

	MaxBody  int // bytes of an HTTP body; default 4 MiB (APP_MAX_BODY)
	MaxLine  int // bytes of a line on stdio, or a message on a custom transport; default 4 MiB (APP_MAX_LINE)
	MaxDepth int // levels of nesting in a message; default 64 (APP_MAX_DEPTH)
	MaxCalls int // running at once on stdio or a custom transport; default 64 (APP_MAX_CALLS)

	// Memory limits the bytes of all messages that arrive, wait or run, together with those
	// of sessions and open streams (APP_MEMORY). The default is 256 MiB. Beyond it the next
	// request is refused with 503 and a Retry-After header. The process may use twice that,
	// since Go frees memory later.
	Memory int

	// The fields below limit the share of one client over HTTP. A client is a principal, or an
	// address if it is anonymous (see TrustedProxies); only the first 64 bits of an IPv6
	// address count. A client that exceeds its share is refused with 429, and the log names
	// the field.
	ClientMemory   int // bytes of Memory; default an eighth, or twice MaxBody if that is more (APP_CLIENT_MEMORY)
	ClientCalls    int // running at once, beyond one for each processor; default 64 (APP_CLIENT_CALLS)
	ClientStreams  int // opened while half of all streams are open; default 2000, or a twentieth of the process's file descriptors if that is less (APP_CLIENT_STREAMS)
	ClientSessions int // open at once when half of Sessions are open; default a tenth of Sessions, but at least 64 (APP_CLIENT_SESSIONS)

	// ClientConnections is how many connections one address may hold (APP_CLIENT_CONNECTIONS).
	// Further ones are closed. The default is a quarter of the process's file descriptors. It
	// applies to App.Serve and the command serve, and not to a server that uses App.Handler.
	// Behind a trusted proxy, the running requests of the client count instead.
	ClientConnections int

	CallTimeout   time.Duration // of a call; default 60 s (APP_CALL_TIMEOUT)
	HeaderTimeout time.Duration // to read a request's headers; default 10 s (APP_HEADER_TIMEOUT)
	BodyTimeout   time.Duration // to read its body; default 30 s (APP_BODY_TIMEOUT)
	WriteTimeout  time.Duration // for a client to read an answer or an event; default 30 s (APP_WRITE_TIMEOUT)
	KeepAlive     time.Duration // between comments on a quiet stream, and until a quiet call becomes one; default 15 s (APP_KEEP_ALIVE)

	// Sessions limits the sessions of older clients with a server, and the streams of each
	// route with LegacySSE (APP_SESSIONS). The default is 10 000; Off serves older clients
	// without sessions.
	Sessions    int
	SessionIdle time.Duration // after which a session ends; default 30 min (APP_SESSION_IDLE)

	// SessionLife is how long after its beginning a session survives a restart
	// (APP_SESSION_LIFE). A session that is in use doesn't end by it. The default is 24 h.
	SessionLife time.Duration

	// Clients of older versions are asked while a call runs. Its timeout is paused
	// meanwhile.
	AskTimeout time.Duration // for a client to answer a question; default 60 s (APP_ASK_TIMEOUT)
	AskRounds  int           // how often one call may ask; default 8 (APP_ASK_ROUNDS)

	// DrainDelay is how long the program still serves over HTTP after a signal to stop
	// (APP_DRAIN_DELAY). Meanwhile /readyz answers with 503, so that load balancers send no
	// more requests. A second signal ends the delay. The default is none.
	DrainDelay time.Duration
	Drain      time.Duration // for running calls when the program stops, after DrainDelay; default 10 s (APP_DRAIN)
	StdioDrain time.Duration // likewise when stdin or a custom transport ends; default 2 s (APP_STDIO_DRAIN)

	LogFormat string // of the log: text or json; default text (APP_LOG_FORMAT)
	LogLevel  string // the lowest one in the log: debug, info, warn or error; default info (APP_LOG_LEVEL)

	// Logger gets one line for each call and for each refused request. The outcome of a call
	// decides the level of its line (see exchange.Outcome). Successful requests other than tool
	// calls are at debug level. Each line of a request has its id, the principal and the
	// client, also a line that a handler logs with its context. The default writes to stderr,
	// with LogFormat and LogLevel, which no other logger uses. It writes the stacks of panics
	// in lines of their own if that is text on a terminal, and never makes a call wait: see
	// package logging, which any logger may use. Never let a logger write to stdout: stdio
	// belongs to the protocol.
	Logger *slog.Logger

	// Validator checks the structs that arguments are bound to, beyond the schema. The
	// default is none. Package validation has one for validate tags: set it to
	// validation.New(), which adds half a millisecond to the start.
	Validator tools.Validator
}

// withDefaults returns the configuration with the defaults filled in.
func (c Config) withDefaults() Config {
	or(&c.Name, "app")
	or(&c.Addr, "127.0.0.1:8080")
	or(&c.MaxBody, limits.MaxBody)
	or(&c.MaxLine, limits.MaxLine)
	or(&c.MaxDepth, limits.MaxDepth)
	or(&c.MaxCalls, limits.MaxCalls)
	or(&c.CallTimeout, limits.CallTimeout)
	or(&c.HeaderTimeout, limits.HeaderTimeout)
	or(&c.BodyTimeout, limits.BodyTimeout)
	or(&c.WriteTimeout, limits.WriteTimeout)
	or(&c.KeepAlive, limits.KeepAlive)
	or(&c.Sessions, limits.MaxSessions)
	or(&c.SessionIdle, limits.SessionIdle)
	or(&c.SessionLife, limits.SessionLife)
	or(&c.AskTimeout, limits.AskTimeout)
	or(&c.AskRounds, limits.AskRounds)
	or(&c.Drain, limits.Drain)
	or(&c.StdioDrain, limits.StdioDrain)
	if c.Logger == nil {
		settings, _ := console.ParseSettings(c.LogFormat, c.LogLevel) // validate returns the mistakes
		c.Logger = settings.Logger()
	}
	c.Logger = slog.New(requestlog.New(c.Logger.Handler())) // whose lines name their requests
	return c
}

// flush waits until the log is written, if its handler is one of package logging.
func flush(logger *slog.Logger) {
	if handler, ok := logger.Handler().(*logging.Handler); ok {
		handler.Flush(limits.LogFlush)
	}
}

func or[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// validate returns every mistake in the configuration.
func (c Config) validate() error {
	var problems []error
	if _, err := c.versions(); err != nil {
		problems = append(problems, err)
	}
	if _, err := console.ParseSettings(c.LogFormat, c.LogLevel); err != nil {
		problems = append(problems, err)
	}
	for _, key := range c.Key {
		if len(key) < 16 {
			problems = append(problems, errors.New("a Config.Key (APP_KEY) has fewer than 16 characters; make one with: openssl rand -hex 32"))
		}
	}
	if c.Store != nil && len(c.Key) == 0 {
		problems = append(problems, errors.New("Config.Store is set, but not Config.Key (APP_KEY): each process would have another key, and could not read what another one has sealed; "+
			"make one for all processes with: openssl rand -hex 32"))
	}
	if c.URL != "" {
		if u, err := url.Parse(c.URL); err != nil || u.Scheme != "http" && u.Scheme != "https" || !isHost(u.Hostname()) {
			problems = append(problems, fmt.Errorf("Config.URL (APP_URL) is %q; it must be a URL such as https://mcp.example.com", c.URL))
		}
	}
	for _, host := range c.AllowedHosts {
		if !isHost(host) {
			problems = append(problems, fmt.Errorf("the host %q of Config.AllowedHosts (APP_ALLOWED_HOSTS) must be a name such as mcp.example.com, "+
				"without a scheme, a port, a path or *", host))
		}
	}
	for _, origin := range c.AllowedOrigins {
		if u, err := url.Parse(origin); err != nil || u.Scheme == "" || !isHost(u.Hostname()) || origin != strings.ToLower(u.Scheme+"://"+u.Host) {
			problems = append(problems, fmt.Errorf("the origin %q of Config.AllowedOrigins (APP_ALLOWED_ORIGINS) must be one such as https://app.example.com", origin))
		}
	}
	if _, err := transport.ParseProxies(c.TrustedProxies, c.Logger); err != nil {
		problems = append(problems, fmt.Errorf("%w of Config.TrustedProxies (APP_TRUSTED_PROXIES) must be an address such as 10.0.0.1, "+
			"or a network such as 10.0.0.0/8 that doesn't hold every address", err))
	}
	for _, limit := range []struct {
		field, variable string
		n               int64
	}{
		{"MaxBody", "APP_MAX_BODY", int64(c.MaxBody)}, {"MaxLine", "APP_MAX_LINE", int64(c.MaxLine)},
		{"MaxDepth", "APP_MAX_DEPTH", int64(c.MaxDepth)}, {"MaxCalls", "APP_MAX_CALLS", int64(c.MaxCalls)},
		{"AskRounds", "APP_ASK_ROUNDS", int64(c.AskRounds)}, {"Memory", "APP_MEMORY", int64(c.Memory)}, {"ClientMemory", "APP_CLIENT_MEMORY", int64(c.ClientMemory)},
		{"ClientCalls", "APP_CLIENT_CALLS", int64(c.ClientCalls)}, {"ClientStreams", "APP_CLIENT_STREAMS", int64(c.ClientStreams)},
		{"ClientSessions", "APP_CLIENT_SESSIONS", int64(c.ClientSessions)}, {"ClientConnections", "APP_CLIENT_CONNECTIONS", int64(c.ClientConnections)},
	} {
		if limit.n < 0 {
			problems = append(problems, fmt.Errorf("the limit Config.%s (%s) must be more than 0", limit.field, limit.variable))
		}
	}
	for _, limit := range []struct {
		field, variable string
		time            time.Duration
	}{
		{"CallTimeout", "APP_CALL_TIMEOUT", c.CallTimeout}, {"HeaderTimeout", "APP_HEADER_TIMEOUT", c.HeaderTimeout},
		{"BodyTimeout", "APP_BODY_TIMEOUT", c.BodyTimeout}, {"WriteTimeout", "APP_WRITE_TIMEOUT", c.WriteTimeout},
		{"KeepAlive", "APP_KEEP_ALIVE", c.KeepAlive}, {"SessionIdle", "APP_SESSION_IDLE", c.SessionIdle}, {"SessionLife", "APP_SESSION_LIFE", c.SessionLife},
		{"AskTimeout", "APP_ASK_TIMEOUT", c.AskTimeout},
		{"DrainDelay", "APP_DRAIN_DELAY", c.DrainDelay}, {"Drain", "APP_DRAIN", c.Drain}, {"StdioDrain", "APP_STDIO_DRAIN", c.StdioDrain},
	} {
		if limit.time != 0 && limit.time < time.Millisecond { // such as 30, which is 30 ns; 0 is the default of one
			problems = append(problems, fmt.Errorf("the limit Config.%s (%s) is %v; it must be 1ms or more, such as 30s", limit.field, limit.variable, limit.time))
		}
	}
	for _, memory := range []struct {
		field, variable string
		n               int
	}{{"Memory", "APP_MEMORY", cmp.Or(c.Memory, limits.Memory)}, {"ClientMemory", "APP_CLIENT_MEMORY", cmp.Or(c.ClientMemory, c.MaxBody)}} {
		if memory.n >= 0 && memory.n < c.MaxBody {
			problems = append(problems, fmt.Errorf("the limit Config.%s (%s) is %d bytes, but a body may have %d; raise it, or lower Config.MaxBody (APP_MAX_BODY)",
				memory.field, memory.variable, memory.n, c.MaxBody))
		}
	}
	if c.Sessions < Off {
		problems = append(problems, fmt.Errorf("Config.Sessions (APP_SESSIONS) is %d; it must be the number of sessions that may be open, or %d for none", c.Sessions, Off))
	}
	return errors.Join(problems...)
}

// versions returns the enabled versions.
func (c Config) versions() (spec.Versions, error) {
	var set, all spec.Versions
	var names []string
	for v := spec.Version20241105; v <= spec.Newest; v++ {
		all, names = append(all, v), append(names, v.String())
	}
	for _, name := range c.Versions {
		v := spec.ParseVersion(name)
		if v == spec.VersionUnknown {
			return nil, fmt.Errorf("the protocol version %q of Config.Versions (APP_VERSIONS) is not supported; choose from %s", name, strings.Join(names, ", "))
		}
		set = append(set, v)
	}
	if set == nil {
		return all, nil
	}
	return set, nil
}
