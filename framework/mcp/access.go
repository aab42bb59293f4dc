package mcp

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/internal/naming"
)

// Public says that the route is for everybody who can reach the program, without a guard.
// An open route, with neither a guard nor Public, is logged as a warning if other machines
// can reach the program. A public route that has a guard keeps the program from starting,
// even if a group has the guard.
func (r *Route) Public() *Route {
	r.router.warnIfServed("path", r.path)
	r.public = true
	return r
}

// Public says that all web routes of the router and its groups are for everybody; see
// [Route.Public].
func (r *Router) Public() {
	r.warnIfServed("of", r.what())
	r.public = true
}

// An access says who may use a route.
type access string

const (
	accessGuarded access = "guarded" // whom the guards accept
	accessPublic  access = "public"  // everybody, as Public says
	accessOpen    access = "open"    // everybody, since nothing else is said
)

// access returns who may use the route.
func (r *Route) access() access {
	switch {
	case len(r.allGuards()) > 0:
		return accessGuarded
	case r.publicIn() != "":
		return accessPublic
	}
	return accessOpen
}

// publicIn returns what says that the route is public: the route, the group or the router. It
// returns "" if nothing does.
func (r *Route) publicIn() string {
	if r.public {
		return "the route"
	}
	for router := r.router; router != nil; router = router.parent {
		if router.public {
			return router.what()
		}
	}
	return ""
}

// guardedIn returns what has a guard of a guarded route.
func (r *Route) guardedIn() string {
	for router := r.router; router != nil && len(r.guards) == 0; router = router.parent {
		if len(router.guards) > 0 {
			return router.what()
		}
	}
	return "the route"
}

// checkAccess refuses a route that is public and guarded.
func (r *Route) checkAccess() error {
	public := r.publicIn()
	if public == "" || r.access() != accessGuarded {
		return nil
	}
	return fmt.Errorf("%s is public, but %s has a guard, which refuses clients without a login; remove Public or the guard", public, r.guardedIn())
}

// isLoopback reports whether only programs on this machine can reach the program: its URL, its
// address and all of Config.AllowedHosts are on loopback. The URL alone doesn't tell, since
// clients choose the header Host that is compared with it.
func (b *booter) isLoopback() bool {
	text, err := b.url()
	elsewhere := slices.ContainsFunc(b.config.AllowedHosts, func(name string) bool { return !naming.IsLoopback(name) })
	return err == nil && naming.IsLoopbackURL(text) && naming.IsLoopbackAddress(cmp.Or(b.listens, b.config.Addr)) && !elsewhere
}

// warnOpen logs a warning for each open route if other machines can reach the program.
func (b *booter) warnOpen(router *Router) {
	if b.isLoopback() {
		return
	}
	router.visitServed(func(path string, route *Route) {
		if route.access() == accessOpen {
			b.config.Logger.Warn("a route is open: everybody who can reach the program can use the server; add a guard to the route, or Public() if that is meant",
				"url", b.clientURL()+path, "server", naming.Label(route.server))
		}
	})
}

// guardNames returns who may use a guarded route: the URLs of the authorization servers that
// its guards trust. A guard without any has the name of its type.
func (b *booter) guardNames(route *Route) []string {
	names := []string{}
	for _, guard := range route.allGuards() {
		described, err := guard.Metadata()
		if err != nil || len(described.AuthorizationServers) == 0 {
			names = append(names, strings.TrimPrefix(fmt.Sprintf("%T", guard), "*"))
			continue
		}
		for _, issuer := range described.AuthorizationServers {
			if issuer == "" { // the program's own
				issuer = b.clientURL()
			}
			names = append(names, issuer)
		}
	}
	return names
}
