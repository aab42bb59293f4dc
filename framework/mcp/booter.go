package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"sync/atomic"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/bowline-mcp/bowline/framework/events"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/dispatch"
	"github.com/bowline-mcp/bowline/internal/engine/legacy"
	"github.com/bowline-mcp/bowline/internal/engine/protocol"
	"github.com/bowline-mcp/bowline/internal/engine/seal"
	"github.com/bowline-mcp/bowline/internal/engine/server"
	"github.com/bowline-mcp/bowline/internal/engine/shared"
	"github.com/bowline-mcp/bowline/internal/engine/throttle"
	"github.com/bowline-mcp/bowline/internal/engine/transport"
	"github.com/bowline-mcp/bowline/internal/naming"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// depthOfArguments is how deep a message nests the arguments of a call.
const depthOfArguments = 2

// A booter boots the servers of a configuration. Several routes of one server share its
// engine.
type booter struct {
	config    Config
	problem   error // mistakes in the configuration
	lifecycle *call.Lifecycle
	ring      *seal.Ring
	state     *shared.Store // nil if no other process shares it
	endState  func()
	versions  spec.Versions
	proxies   *transport.Proxies
	shares    *throttle.Shares
	events    *events.Dispatcher // nil if nobody can listen
	app       *App               // nil for functions such as Handler
	listens   string             // the address of HTTP, "" if the program doesn't listen yet
	booted    map[servers.Interface]*booted
	public    *documents  // of the routes, once they are built
	leaving   atomic.Bool // whether the program was told to stop

	components []component // of the router, once the routes are built
	open       []component // those that are open, in their order
}

// booted is a server that is ready to serve, or the error that keeps it from serving.
type booted struct {
	*server.Server
	legacy   transport.Legacy // nil if no version with a handshake is enabled
	err      error
	reported bool // whether the mistakes of the routes include err
}

// problem returns the error for the first route of the server, since the others would only
// repeat it.
func (b *booted) problem() error {
	if b.reported {
		return nil
	}
	b.reported = true
	return b.err
}

// newBooter returns a booter. Its problem holds the mistakes in the configuration.
func newBooter(config Config) *booter {
	config = config.withDefaults()
	versions, _ := config.versions()                                           // validate says what is wrong with these
	proxies, _ := transport.ParseProxies(config.TrustedProxies, config.Logger) // likewise
	b := &booter{
		config: config, problem: config.validate(), lifecycle: call.NewLifecycle(), ring: seal.New(config.Key...), versions: versions,
		proxies: proxies, booted: map[servers.Interface]*booted{}, endState: func() {},
	}
	if config.Store != nil {
		var ctx context.Context
		ctx, b.endState = context.WithCancel(context.Background())
		b.state = shared.New(ctx, config.Store, config.Logger)
	}
	b.shares = throttle.NewShares(throttle.Config{
		Body: config.MaxBody, Memory: config.Memory, ClientMemory: config.ClientMemory, ClientCalls: config.ClientCalls, ClientStreams: config.ClientStreams,
		ClientConnections: config.ClientConnections,
		Sessions:          config.Sessions, ClientSessions: config.ClientSessions,
		Key: b.client, Logger: config.Logger,
	})
	return b
}

// client identifies the client of a request.
func (b *booter) client(r *http.Request) throttle.Key {
	return throttle.KeyOf(exchange.PrincipalFrom(r.Context()).ID, b.proxies.Client(r))
}

// close releases the components and servers, so that they can be booted again.
func (b *booter) close() {
	defer b.endState()
	b.closeComponents()
	for served, made := range b.booted {
		if made.err == nil && made.Lifecycle() == b.lifecycle { // not one that another booter serves
			server.Close(served, made.Server)
		}
	}
}

// boot registers and boots a server, once.
func (b *booter) boot(served servers.Interface) *booted {
	if problem := server.Check(served); problem != nil {
		return &booted{err: problem} // a value that isn't a pointer may not be hashable
	}
	if have := b.booted[served]; have != nil {
		return have
	}
	made := &booted{}
	made.Server, made.err = server.Open(served, server.Config{
		Owner: b.app, Handle: b.handle(served), Number: len(b.booted), Versions: b.versions, Timeout: b.config.CallTimeout, Debug: b.config.Debug,
		CoerceArguments: b.config.CoerceArguments, Depth: max(b.config.MaxDepth-depthOfArguments, 1), Validator: b.config.Validator, Lifecycle: b.lifecycle, Seal: b.ring,
		Address: b.proxies.Client, Shares: b.shares, Events: (*dispatch.Dispatcher)(b.events), Logger: b.config.Logger,
	})
	if made.err == nil {
		if b.state != nil {
			made.Core().Feed().Share(b.state, fmt.Sprintf("%q %q", b.config.Name, made.Core().Server().Scope))
		}
		made.legacy = b.legacy(made.Core())
	}
	b.booted[served] = made
	return made
}

// handle returns the longest handle of a server, under which clients install it. Without one
// it is "".
func (b *booter) handle(served servers.Interface) (handle string) {
	if b.app == nil {
		return ""
	}
	for _, local := range b.app.Router.locals {
		if local.server == served && len(local.handle) > len(handle) {
			handle = local.handle
		}
	}
	return handle
}

// legacy returns the handler for a core's older clients, or nil if no older version is
// enabled.
func (b *booter) legacy(core *protocol.Core) transport.Legacy {
	if len(b.versions.Legacy()) == 0 {
		return nil
	}
	return legacy.New(core, legacy.Config{
		App: b.config.Name, Sessionless: b.config.Sessions < 0, Limit: b.config.Sessions, TTL: b.config.SessionIdle, Life: b.config.SessionLife,
		Shared: b.state, AskTimeout: b.config.AskTimeout, AskRounds: b.config.AskRounds,
	})
}

// A webEndpoint is a path of a web route.
type webEndpoint struct {
	path    string // in the group of the route
	handler http.Handler
	guard   func(http.Handler) http.Handler // precedes the middleware of the route; nil if it has no guard
}

// endpoints returns the endpoints of a web route, the one at its own path first, and adds
// the route's metadata to the public documents.
func (b *booter) endpoints(route *Route, public *documents) ([]webEndpoint, error) {
	if problem := server.Check(route.server); problem != nil {
		return nil, fmt.Errorf("the route %s: %w", naming.Printable(route.path), problem)
	}
	made := b.boot(route.server)
	if made.err != nil {
		return nil, made.problem()
	}
	limits, err := b.config.limits(), error(nil)
	if limits.Throttle, err = b.throttle(route); err != nil {
		return nil, fmt.Errorf("the route %s: %w", naming.Printable(route.path), err)
	}
	limits.Drain = b.config.Drain
	web := transport.NewHTTP(made.Core(), made.legacy, limits, b.config.Logger)
	served := []webEndpoint{{path: route.path, handler: web}}
	switch {
	case !route.legacySSE:
	case made.legacy == nil:
		return nil, fmt.Errorf("the route %s: LegacySSE serves older clients, but Config.Versions (APP_VERSIONS) names none of their versions; add 2024-11-05, or take LegacySSE out", naming.Printable(route.path))
	case b.config.Sessions < 0:
		return nil, fmt.Errorf("the route %s: LegacySSE needs sessions, but Config.Sessions (APP_SESSIONS) is off; set a number of sessions, or take LegacySSE out", naming.Printable(route.path))
	default:
		sse := transport.NewSSE(web, b.config.Sessions, b.config.path())
		served = append(served, webEndpoint{path: route.below(transport.EventsPath), handler: http.HandlerFunc(sse.Events)},
			webEndpoint{path: route.below(transport.MessagesPath), handler: http.HandlerFunc(sse.Messages)})
	}
	if err := b.protect(route, made, served, public); err != nil {
		return nil, fmt.Errorf("the route %s: %w", naming.Printable(route.fullPath()), err)
	}
	return served, nil
}

// throttle returns the rate limit of a route, or nil if it has none.
func (b *booter) throttle(route *Route) (func(*http.Request, int) time.Duration, error) {
	if route.throttle == nil {
		return nil, nil
	}
	limiter, err := throttle.New(route.throttle.n, route.throttle.per, route.throttle.burst...)
	if err != nil {
		return nil, server.Within("Throttle", err)
	}
	return func(r *http.Request, n int) time.Duration {
		if n > 1 {
			return limiter.TakeRest(b.client(r), n)
		}
		return limiter.Take(b.client(r))
	}, nil
}

// local returns the server of a handle.
func (b *booter) local(router *Router, handle string) (*Local, *booted, error) {
	var handles []string
	for _, local := range router.locals {
		if local.handle == handle {
			made := b.boot(local.server)
			return local, made, made.err
		}
		handles = append(handles, local.handle)
	}
	if len(handles) == 0 {
		return nil, nil, fmt.Errorf("there is no handle %q: no server is mapped to one; map one with Router.Local, such as Local(%q, …)", handle, handle)
	}
	slices.Sort(handles)
	return nil, nil, fmt.Errorf("there is no handle %q; there are: %s", handle, naming.Quoted(handles))
}

// web builds the handler of all web routes.
func (b *booter) web(router *Router) (http.Handler, error) {
	parameter := regexp.MustCompile(`\{[^}:]*`)
	policy, err := b.config.hostPolicy()
	mux := chi.NewRouter()
	notFound := b.notFound(router, policy.Loopback)
	mux.NotFound(notFound)
	mux.MethodNotAllowed(func(w http.ResponseWriter, r *http.Request) { // a method that chi doesn't know
		w.Header().Set("Allow", http.MethodPost)
		transport.Refuse(b.config.Logger, w, r, http.StatusMethodNotAllowed, "This endpoint takes POST requests.")
	})
	seen := map[string]string{}
	problems := []error{err}
	router.visit("", func(_, path string, _ *Route) {
		pattern := parameter.ReplaceAllString(path, "{") // paths that differ in parameter names only are the same
		switch other, taken := seen[pattern]; {
		case taken && other == path:
			problems = append(problems, fmt.Errorf("the path %s is mapped twice", naming.Printable(path)))
		case taken:
			problems = append(problems, fmt.Errorf("the path %s is mapped twice: %s is the same", naming.Printable(path), naming.Printable(other)))
		case path == alivePath || path == readyPath:
			problems = append(problems, fmt.Errorf("the path %s is the health check of the program; choose another", path))
		}
		seen[pattern] = path
	})
	components, unserved := b.componentEndpoints(router, seen) // before the guards, which check that an authorization server is there
	b.public = b.newDocuments(mux, notFound)
	direct := map[string]http.Handler{}
	mounted := router.mount(mux, plain(notFound), func(route *Route) ([]webEndpoint, error) {
		served, err := b.endpoints(route, b.public)
		if len(served) > 0 && router.isDirect(route) {
			direct[route.path] = served[0].handler
			if guard := served[0].guard; guard != nil {
				direct[route.path] = guard(served[0].handler)
			}
		}
		return served, err
	})
	problems = append(problems, mounted, b.checkCacheHints(router), b.checkLocals(router), unserved)
	return b.rootHandler(policy, direct, mux, components, notFound), errors.Join(problems...)
}

// checkLocals finds handles that are mapped twice or have no name.
func (b *booter) checkLocals(router *Router) error {
	seen := map[string]bool{}
	var problems []error
	for _, local := range router.locals {
		if seen[local.handle] {
			problems = append(problems, fmt.Errorf("the handle %q is mapped twice", local.handle))
		}
		if local.handle == "" || local.handle[0] == '-' {
			problems = append(problems, fmt.Errorf("a handle must be a name such as \"demo\", not %q", local.handle))
		}
		seen[local.handle] = true
		if problem := server.Check(local.server); problem != nil {
			problems = append(problems, fmt.Errorf("the handle %q: %w", local.handle, problem))
			continue
		}
		problems = append(problems, b.boot(local.server).problem())
	}
	return errors.Join(problems...)
}

// Validate returns all mistakes in a server and its tools, resources and prompts, including
// those that Boot adds. Each says how to fix it. Validate returns nil if the server can
// serve, or already serves.
func Validate(served servers.Interface) error {
	b := newBooter(Config{})
	defer b.close()
	if err := b.boot(served).err; !errors.Is(err, server.ErrServed) {
		return err
	}
	return nil
}
