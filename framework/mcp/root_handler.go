package mcp

import (
	"fmt"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-chi/chi/v5"

	"github.com/bowline-mcp/bowline/internal/engine/transport"
	"github.com/bowline-mcp/bowline/internal/naming"
	"github.com/bowline-mcp/bowline/internal/wellknown"
)

// The paths of the health endpoints.
const (
	alivePath = "/healthz"
	readyPath = "/readyz"
)

// rootHandler serves the health endpoints and checks the Host and Origin headers before
// the routes. Calls of direct routes skip the router, which would allocate a context and
// a copy of the request for parameters. That saves 7% of a call in process.
func (b *booter) rootHandler(policy transport.HostPolicy, direct map[string]http.Handler, routed chi.Router, components componentEndpoints, notFound http.HandlerFunc) http.Handler {
	checked := transport.NewGate(policy, b.config.Logger, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.RawPath != "" {
			if hasSlashEscape(r) {
				notFound(w, r)
				return
			}
			r = atPath(r, r.URL.Path)
		}
		handler := direct[r.URL.Path]
		if handler == nil && strings.HasSuffix(r.URL.Path, "/") {
			if path := withoutSlash(routed, r.URL.Path); path != r.URL.Path {
				r = atPath(r, path)
				handler = direct[path]
			}
		}
		if handler == nil || r.Method != http.MethodPost {
			if !isPlain(r.URL.Path) {
				notFound(w, r)
				return
			}
			handler = routed
		}
		handler.ServeHTTP(w, r)
	}))
	own := policy
	own.Origins = nil // no other page may use the pages of a component, such as a login
	closed := transport.NewGate(own, b.config.Logger, components)
	policy.Open = true
	open, documented := transport.NewGate(policy, b.config.Logger, b.public), len(b.public.resources) > 0
	public := transport.NewGate(policy, b.config.Logger, components)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case alivePath:
			transport.WriteText(w, r, http.StatusOK, "ok")
		case readyPath:
			if b.leaving.Load() {
				transport.WriteText(w, r, http.StatusServiceUnavailable, "draining")
				return
			}
			transport.WriteText(w, r, http.StatusOK, "ready")
		default:
			switch endpoint, ok := components[r.URL.Path]; {
			case ok && endpoint.Public:
				public.ServeHTTP(w, r)
			case ok:
				closed.ServeHTTP(w, r)
			case documented && strings.HasPrefix(r.URL.Path, wellknown.Resource):
				open.ServeHTTP(w, r)
			default:
				checked.ServeHTTP(w, r)
			}
		}
	})
}

// hasSlashEscape reports whether a parameter of the path would have a slash.
func hasSlashEscape(r *http.Request) bool {
	return strings.Contains(strings.ToLower(r.URL.RawPath), "%2f")
}

// atPath returns a request with a decoded path, by which chi routes it. If chi routed by the
// raw path, parameters would stay encoded, and one value would have many spellings.
func atPath(r *http.Request, path string) *http.Request {
	r = r.WithContext(r.Context())
	address := *r.URL
	address.Path, address.RawPath = path, ""
	r.URL = &address
	return r
}

// withoutSlash returns the path of the route that answers requests to a path with a slash at
// its end: the same path, if a route has it, or else the path without the slash. A redirect
// would not do, since clients send no body after it.
func withoutSlash(routes chi.Routes, path string) string {
	bare := strings.TrimSuffix(path, "/")
	if bare != "" && !routes.Match(chi.NewRouteContext(), http.MethodPost, path) && routes.Match(chi.NewRouteContext(), http.MethodPost, bare) {
		return bare
	}
	return path
}

// isPlain reports whether the parameters of a path are safe as file names: none is "." or
// "..", or has a backslash, a control character, a line separator or invalid UTF-8.
func isPlain(path string) bool {
	if !utf8.ValidString(path) || strings.ContainsFunc(path, func(c rune) bool { return c == '\\' || c == '\u2028' || c == '\u2029' || unicode.IsControl(c) }) {
		return false
	}
	for segment := range strings.SplitSeq(path, "/") {
		if segment == "." || segment == ".." {
			return false
		}
	}
	return true
}

// plain returns middleware that answers a request with 404 if a parameter isn't safe as a
// file name. A parameter may be a part of a segment, which isPlain can't find in a path.
func plain(notFound http.HandlerFunc) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !hasPlainParameters(chi.RouteContext(r.Context())) {
				notFound(w, r)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// hasPlainParameters reports whether all parameters of a path are safe as file names.
func hasPlainParameters(route *chi.Context) bool {
	for i, name := range route.URLParams.Keys {
		value := route.URLParams.Values[i]
		if !isPlain(value) || strings.HasPrefix(value, "/") || name != "*" && (value == "" || strings.Contains(value, "/")) {
			return false
		}
	}
	return true
}

// notFound returns the handler for paths without a route. It lists the routes for a
// client on the same machine and in Debug.
func (b *booter) notFound(router *Router, loopback bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		text := fmt.Sprintf("There is no MCP server at the path %.200q.", r.URL.Path)
		if b.config.Debug || loopback && transport.IsLocal(r) {
			text += " " + routes(router)
		}
		transport.Refuse(b.config.Logger, w, r, http.StatusNotFound, text)
	}
}

// routes returns a sentence that lists the web routes.
func routes(router *Router) string {
	var paths []string
	router.visit("", func(method, path string, _ *Route) { paths = append(paths, method+" "+naming.Printable(path)) })
	if len(paths) == 0 {
		return "The program has no web route."
	}
	return "The routes are: " + strings.Join(paths, ", ") + "."
}
