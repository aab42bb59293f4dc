package mcp

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/internal/transport"
)

// A Router maps servers to HTTP paths and stdio handles. Routes are collected, and
// only put together when the program starts: the order of calls does not matter.
type Router struct {
	prefix     string
	middleware []func(http.Handler) http.Handler
	routes     []*Route
	locals     []local
	groups     []*Router
	parent     *Router
}

type local struct {
	handle string
	server servers.Interface
}

// Web maps a server to an HTTP path. A path that begins with a slash is taken as it
// is; any other gets the prefix /mcp/, so that Web("demo", …) is POST /mcp/demo. A
// path may have parameters, such as /teams/{team}/mcp, which handlers get by
// request.PathValue: decoded, and without slashes, since a path with an encoded slash
// is not found.
func (r *Router) Web(path string, server servers.Interface) *Route {
	if !strings.HasPrefix(path, "/") {
		path = "/mcp/" + path
	}
	route := &Route{path: path, server: server}
	r.routes = append(r.routes, route)
	return route
}

// Local maps a server to a handle, under which the program serves it on stdio:
// mcp start demo.
func (r *Router) Local(handle string, server servers.Interface) {
	root := r
	for root.parent != nil {
		root = root.parent
	}
	root.locals = append(root.locals, local{handle, server})
}

// Use adds middleware to all web routes of the router and its groups. Any that
// fits net/http does, chi's own included. It runs in the order given.
func (r *Router) Use(middleware ...func(http.Handler) http.Handler) {
	r.middleware = append(r.middleware, middleware...)
}

// Group returns a router whose paths begin with the prefix, and which can have
// middleware of its own. The prefix may be "".
func (r *Router) Group(prefix string) *Router {
	group := &Router{prefix: prefix, parent: r}
	r.groups = append(r.groups, group)
	return group
}

// A Route is a server at an HTTP path.
type Route struct {
	path       string
	server     servers.Interface
	middleware []func(http.Handler) http.Handler
	throttle   *throttling
	legacySSE  bool
}

// throttling is how often one client may come.
type throttling struct {
	n     int
	per   time.Duration
	burst []int
}

// Throttle lets each client send n HTTP requests per duration to the route. That many
// may come at once, unless a burst is given, which may be smaller or larger. What is
// more gets the status 429, with a Retry-After header, before its body is read.
//
// A client is its principal, which middleware puts into the context
// (exchange.WithPrincipal), or the address that it calls from if it is anonymous: see
// Config.TrustedProxies. 10 000 clients are remembered. A limit for one tool, or for
// stdio too, is guardrails.RateLimit.
func (r *Route) Throttle(n int, per time.Duration, burst ...int) *Route {
	r.throttle = &throttling{n, per, burst}
	return r
}

// LegacySSE also serves the route to clients that know only the transport of protocol
// version 2024-11-05, HTTP with SSE. Below the route's path it adds two more:
//
//	GET  /mcp/demo/sse        a stream of events; the first, endpoint, tells the other path
//	POST /mcp/demo/messages   takes a message, answers 202, and sends the answer as an event
//
// The session lasts as long as the stream, and belongs to its principal. Handlers see
// the request that opened the stream: the values that middleware put into its context,
// its address and path; what is POSTed is its message alone. Config.Sessions bounds how
// many there are; each runs at most 16 calls at once. A client of a later
// version needs none of this.
func (r *Route) LegacySSE() *Route {
	r.legacySSE = true
	return r
}

// Use adds middleware to the route. It runs after the router's, in the order given.
func (r *Route) Use(middleware ...func(http.Handler) http.Handler) *Route {
	r.middleware = append(r.middleware, middleware...)
	return r
}

// mount builds chi's tree. Endpoints makes the handlers of a route, by their paths.
func (r *Router) mount(mux chi.Router, endpoints func(*Route) (map[string]http.Handler, error)) error {
	var problems []error
	mux.Use(r.middleware...)
	for _, route := range r.routes {
		handlers, err := endpoints(route)
		problems = append(problems, err)
		for path, handler := range handlers {
			problems = append(problems, handle(mux.With(route.middleware...), path, handler))
		}
	}
	for _, group := range r.groups {
		if group.prefix == "" {
			mux.Group(func(mux chi.Router) { problems = append(problems, group.mount(mux, endpoints)) })
			continue
		}
		problems = append(problems, routeGroup(mux, group, endpoints))
	}
	return errors.Join(problems...)
}

// routeGroup mounts a group that has a prefix.
func routeGroup(mux chi.Router, group *Router, endpoints func(*Route) (map[string]http.Handler, error)) (problem error) {
	if !strings.HasPrefix(group.prefix, "/") {
		return fmt.Errorf("the prefix %q of a group must begin with a slash", group.prefix)
	}
	defer rescue(&problem, "the group "+group.prefix)
	mux.Route(group.prefix, func(mux chi.Router) { problem = group.mount(mux, endpoints) })
	return problem
}

// handle adds a route to chi, whose complaints are panics.
func handle(mux chi.Router, path string, handler http.Handler) (problem error) {
	defer rescue(&problem, "the route "+path)
	mux.Handle(path, handler)
	return nil
}

func rescue(problem *error, what string) {
	if value := recover(); value != nil {
		*problem = fmt.Errorf("%s can't be mapped: %v", what, value)
	}
}

// isDirect reports whether only a route's path decides that a request is for it, and
// nothing comes before its server.
func (r *Router) isDirect(route *Route) bool {
	return slices.Contains(r.routes, route) && len(r.middleware)+len(route.middleware) == 0 && !strings.ContainsAny(route.path, "{*")
}

// below returns a path below the route's own.
func (r *Route) below(path string) string { return strings.TrimSuffix(r.path, "/") + path }

// visit calls fn for each web route with its whole path, and the method that it is for
// above all.
func (r *Router) visit(prefix string, fn func(method, path string, route *Route)) {
	for _, route := range r.routes {
		fn(http.MethodPost, prefix+r.prefix+route.path, route)
		if route.legacySSE {
			fn(http.MethodGet, prefix+r.prefix+route.below(transport.EventsPath), route)
			fn(http.MethodPost, prefix+r.prefix+route.below(transport.MessagesPath), route)
		}
	}
	for _, group := range r.groups {
		group.visit(prefix+r.prefix, fn)
	}
}
