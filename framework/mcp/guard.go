package mcp

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/protected"
	"github.com/bowline-mcp/bowline/internal/engine/transport"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// A Guard authenticates the requests of a route, such as the guards of package auth
// (specification: Authorization). Several goroutines call it at once.
//
// A guard that knows principals by name has another method, for the command start --as; see
// auth.BearerGuard.FindPrincipal.
type Guard interface {
	// Authenticate returns the principal of a request. The resource is the URL of the
	// route, Config.URL followed by the path; an access token must be for it (RFC 8707).
	// Authenticate sees only the headers: the body isn't read yet. It is called again every
	// few seconds while a stream is open. The stream ends with its error, unless that has a
	// status from 500 on, or if the principal may do less than before.
	//
	// An *exchange.Error is sent to the client with its status and headers, such as 503 if
	// the token can't be verified at the moment. An *exchange.ScopeError becomes the status
	// 403, any other error and one without a status of an error 401. A panic becomes 500. The
	// error is logged, so it must not have a part of the token.
	Authenticate(r *http.Request, resource string) (exchange.Principal, error)

	// Challenge returns the value of the header WWW-Authenticate for a request that is
	// refused with 401, or that needs more scopes, or "" for none. The refusal is an error
	// of Authenticate or of the handler. The metadata is the URL of the route's metadata.
	Challenge(refusal error, metadata string) string

	// Metadata describes the guard for the metadata of its routes (RFC 9728), without the
	// resource itself, or returns the mistakes in its configuration. It is called when the
	// program starts.
	Metadata() (exchange.ResourceMetadata, error)
}

// Guard protects the route: all guards must accept a request, after those of the route's
// groups. The last guard sets the principal, which expires with the first. A request is
// refused with 401 or 403 before its body is read, whatever its method. The guards run after
// the middleware of the router and its groups, and before that of the route and the rate
// limit.
//
// Clients find the authorization server by the route's metadata, which everybody may read
// below /.well-known/oauth-protected-resource (RFC 9728). The metadata names the URL of the
// route, so a guarded route needs Config.URL, unless the program listens on a loopback
// address.
func (r *Route) Guard(guards ...Guard) *Route {
	r.router.warnIfServed("path", r.path)
	r.guards = append(r.guards, orNil(guards)...)
	return r
}

// Guard protects all web routes of the router and its groups; see [Route.Guard].
func (r *Router) Guard(guards ...Guard) {
	r.warnIfServed("of", r.what())
	r.guards = append(r.guards, orNil(guards)...)
}

// orNil returns a guard that is nil if there is none. It keeps the program from starting,
// since Guard without a guard, such as with an empty list, would leave a route open.
func orNil(guards []Guard) []Guard {
	if len(guards) == 0 {
		return []Guard{nil}
	}
	return guards
}

// allGuards returns the guards of the route, those of the outermost router first.
func (r *Route) allGuards() []Guard {
	guards := r.guards
	for router := r.router; router != nil; router = router.parent {
		guards = slices.Concat(router.guards, guards)
	}
	return guards
}

// url returns the program's URL. On a loopback address it defaults to that address.
func (b *booter) url() (string, error) {
	if b.config.URL != "" {
		return strings.TrimRight(b.config.URL, "/"), nil
	}
	addr := cmp.Or(b.listens, b.config.Addr)
	if !naming.IsLoopbackAddress(addr) {
		return "", errors.New("clients need the program's URL; set Config.URL (APP_URL), such as https://example.com")
	}
	return "http://" + addr, nil
}

// protect adds the guards of a route to its endpoints, and the route's metadata to the
// public documents. The two paths of HTTP with SSE are one resource, whose URL is that of
// the stream.
func (b *booter) protect(route *Route, made *booted, served []webEndpoint, public *documents) error {
	if err := route.checkAccess(); err != nil {
		return err
	}
	guards := route.allGuards()
	if len(guards) == 0 {
		return made.CheckUnguarded(naming.Printable(route.fullPath()))
	}
	if _, err := b.url(); err != nil {
		return fmt.Errorf("it has a guard, so %w", err)
	}
	config := protected.Config{Base: b.url, Name: made.Title(), Documentation: made.Website(), Detached: len(route.middleware) > 0, Logger: b.config.Logger}
	for _, guard := range guards {
		config.Guards = append(config.Guards, guard)
	}
	config.Refuse = func(w http.ResponseWriter, r *http.Request, refused *exchange.Error) {
		transport.RefuseError(b.config.Logger, w, r, refused)
	}
	for i := range served {
		e := &served[i]
		config.Fixed, config.Path = resourcePath(route, e.path)
		web, err := protected.New(config)
		if err != nil {
			return err
		}
		if err := made.CheckIssuable(naming.Printable(route.fullPath()), web.IssuableScopes()); err != nil {
			return err
		}
		e.guard = web.Handler
		if e.path != route.below(transport.MessagesPath) {
			public.add(route, e.path, web)
		}
	}
	return nil
}

// resourcePath returns the path of the resource that requests to a path of the route are
// for, or a function for it if the path has parameters.
func resourcePath(route *Route, path string) (fixed string, of func(*http.Request) string) {
	isMessages := path == route.below(transport.MessagesPath)
	switch full := route.prefix() + path; {
	case hasParameters(full) && isMessages:
		return "", func(r *http.Request) string {
			return strings.TrimSuffix(r.URL.EscapedPath(), transport.MessagesPath) + transport.EventsPath
		}
	case hasParameters(full):
		return "", func(r *http.Request) string { return r.URL.EscapedPath() }
	case isMessages:
		return escaped(strings.TrimSuffix(full, transport.MessagesPath) + transport.EventsPath), nil
	default:
		return escaped(full), nil
	}
}
