package mcp

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/go-chi/chi/v5"

	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/internal/engine/transport"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// A Router maps servers to HTTP paths and stdio handles. The order of calls doesn't
// matter, since the router builds its routes when the program starts. A web route, guard,
// middleware or component that is added after that has no effect, and a warning is logged.
type Router struct {
	prefix     string
	guards     []Guard
	public     bool
	middleware []func(http.Handler) http.Handler
	routes     []*Route
	locals     []*Local
	components []component // of the root
	groups     []*Router
	parent     *Router
	served     *slog.Logger // of the root: logs late additions; nil until a handler is made
}

// Web maps a server to an HTTP path. A path that begins with a slash is used unchanged;
// any other path gets the prefix /mcp/, so that Web("demo", …) is POST /mcp/demo. The
// prefix of a group precedes both: Group("/v1").Web("demo", …) is POST /v1/mcp/demo, and
// Group("/v1").Web("/demo", …) is POST /v1/demo. A path may have parameters, such as
// /teams/{team}/mcp. Handlers get them, decoded, from request.PathValue. The
// parameter * of a path such as /files/* is the rest of the path. A request is answered
// with 404 if a parameter is empty, "." or "..", or has a slash, a backslash, a control
// character or invalid UTF-8. The parameter * may be empty and may have slashes, but not
// at its beginning, and no segment "." or "..". A request to the path with a slash at its
// end is answered like one without, unless another route matches it. An invalid path, such as one with a method or a query, is
// reported when the app starts, and so are two servers at one path.
func (r *Router) Web(path string, server servers.Interface) *Route {
	if !strings.HasPrefix(path, "/") && path != "" {
		path = "/mcp/" + path
	}
	r.warnIfServed("path", path)
	route := &Route{router: r, path: path, server: server}
	r.routes = append(r.routes, route)
	return route
}

// Local maps a server to a handle. The command start serves it on stdio by this handle:
// mcp start demo.
func (r *Router) Local(handle string, server servers.Interface) *Local {
	root := r.root()
	local := &Local{handle: handle, server: server}
	root.locals = append(root.locals, local)
	return local
}

// Use adds middleware to all web routes of the router and its groups. Any net/http
// middleware works, including chi's own. It runs in the given order.
func (r *Router) Use(middleware ...func(http.Handler) http.Handler) {
	r.warnIfServed("of", r.what())
	r.middleware = append(r.middleware, middleware...)
}

// Group returns a router whose paths begin with the prefix and which may have middleware
// of its own. The prefix may be "".
func (r *Router) Group(prefix string) *Router {
	group := &Router{prefix: prefix, parent: r}
	r.groups = append(r.groups, group)
	return group
}

// mount builds chi's tree. The function endpoints returns a route's endpoints. The middleware plain precedes all that see the parameters of a path.
func (r *Router) mount(mux chi.Router, plain func(http.Handler) http.Handler, endpoints func(*Route) ([]webEndpoint, error)) error {
	var problems []error
	if hasParameters(r.prefix) {
		mux.Use(plain)
	}
	mux.Use(sound(&problems, r.what(), r.middleware)...)
	for _, route := range r.routes {
		served, err := endpoints(route)
		misplaced := checkPath(route.path)
		if misplaced != nil {
			served = nil
		}
		problems = append(problems, err, misplaced)
		middleware := sound(&problems, "the route "+naming.Printable(route.path), route.middleware)
		for _, e := range served {
			before := chi.Middlewares{}
			if hasParameters(route.path) {
				before = append(before, plain)
			}
			if e.guard != nil {
				before = append(before, e.guard)
			}
			problems = append(problems, handle(mux.With(slices.Concat(before, middleware)...), e.path, e.handler))
		}
	}
	for _, group := range r.groups {
		if group.prefix == "" {
			mux.Group(func(mux chi.Router) { problems = append(problems, group.mount(mux, plain, endpoints)) })
			continue
		}
		problems = append(problems, routeGroup(mux, group, plain, endpoints))
	}
	return errors.Join(problems...)
}

// routeGroup mounts a group that has a prefix.
func routeGroup(mux chi.Router, group *Router, plain func(http.Handler) http.Handler, endpoints func(*Route) ([]webEndpoint, error)) (problem error) {
	if !strings.HasPrefix(group.prefix, "/") || strings.HasSuffix(group.prefix, "/") {
		return fmt.Errorf("the prefix %q of a group must begin with a slash and must not end with one", group.prefix)
	}
	if err := checkPath(group.prefix); err != nil {
		return err
	}
	defer rescue(&problem, "the group "+naming.Printable(group.prefix))
	mux.Route(group.prefix, func(mux chi.Router) { problem = group.mount(mux, plain, endpoints) })
	return problem
}

// sound wraps middleware so that its mistakes are reported when routes are mounted, not
// with each request.
func sound(problems *[]error, of string, middleware []func(http.Handler) http.Handler) []func(http.Handler) http.Handler {
	list := slices.Clone(middleware)
	for i, wrap := range middleware {
		if wrap == nil {
			*problems = append(*problems, fmt.Errorf("%s: middleware %d is nil; give Use a function", of, i+1))
			wrap = func(next http.Handler) http.Handler { return next }
		}
		var once sync.Once // even if it wraps several routes
		list[i] = func(next http.Handler) http.Handler {
			handler := wrap(next)
			if handler == nil {
				once.Do(func() {
					*problems = append(*problems, fmt.Errorf("%s: middleware %d returns no handler; return one that calls next", of, i+1))
				})
				return next
			}
			return handler
		}
	}
	return list
}

// checkPath refuses a path that no request can have, or that chi would misinterpret.
func checkPath(path string) error {
	depth := 0 // of braces: a parameter may have an expression
	plain := strings.Map(func(c rune) rune {
		switch c {
		case '{':
			depth++
		case '}':
			depth--
			return -1
		}
		if depth > 0 {
			return -1
		}
		return c
	}, path)
	if path == "" || strings.Contains(plain, "://") || strings.ContainsAny(plain, " \t?#%") {
		return fmt.Errorf("the path %q must be only a path, such as \"demo\" or \"/mcp\", without a method, host, query, white space or escape", path)
	}
	return nil
}

// handle adds a route to chi, which panics if it refuses one.
func handle(mux chi.Router, path string, handler http.Handler) (problem error) {
	defer rescue(&problem, "the route "+naming.Printable(path))
	mux.Handle(path, handler)
	return nil
}

func rescue(problem *error, what string) {
	if value := recover(); value != nil {
		*problem = fmt.Errorf("%s can't be mapped: %s", what, naming.Printable(fmt.Sprint(value)))
	}
}

// isDirect reports whether a route has a fixed path and no middleware, and so needs no
// router.
func (r *Router) isDirect(route *Route) bool {
	return slices.Contains(r.routes, route) && len(r.middleware)+len(route.middleware) == 0 && !hasParameters(route.path)
}

func hasParameters(path string) bool { return strings.ContainsAny(path, "{*") }

// root returns the outermost router.
func (r *Router) root() *Router {
	for r.parent != nil {
		r = r.parent
	}
	return r
}

// warnIfServed logs a change after the handler was built.
func (r *Router) warnIfServed(attributes ...any) {
	if logger := r.root().served; logger != nil {
		logger.Warn("a web route, guard, middleware or component was added after the handler was built, so it has no effect; add it before App.Handler or serve", attributes...)
	}
}

// hasWeb reports whether there is a web route.
func (r *Router) hasWeb() bool {
	return len(r.routes) > 0 || slices.ContainsFunc(r.groups, (*Router).hasWeb)
}

// visitServed calls fn for each web route with its full path, once, even if it also serves HTTP
// with SSE.
func (r *Router) visitServed(fn func(path string, route *Route)) {
	r.visit("", func(method, path string, route *Route) {
		if method == http.MethodPost && path == route.fullPath() { // HTTP with SSE has other paths
			fn(path, route)
		}
	})
}

// what returns the router's name for messages.
func (r *Router) what() string {
	if r.parent == nil {
		return "the router"
	}
	return fmt.Sprintf("the group %q", r.prefix)
}

// visit calls fn for each web route with its full path and its main method.
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
