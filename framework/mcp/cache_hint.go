package mcp

import (
	"errors"
	"fmt"
	"slices"

	"github.com/bowline-mcp/bowline/internal/engine/server"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// checkCacheHints returns an error for each server that has a public cache hint, although all
// web routes that serve it have guards. It is called when the routes are built.
func (b *booter) checkCacheHints(router *Router) error {
	guarded, open := []*Route{}, map[*booted]bool{}
	router.visit("", func(_, _ string, route *Route) {
		if server.Check(route.server) != nil {
			return // it may not be hashable
		}
		switch made := b.booted[route.server]; {
		case made == nil || made.err != nil: // which is a mistake of its own
		case !slices.ContainsFunc(route.allGuards(), refuses):
			open[made] = true
		default:
			guarded = append(guarded, route)
		}
	})
	var problems []error
	for _, route := range guarded {
		made := b.booted[route.server]
		if hint := server.PublicCacheHint(made.Server); hint != "" && !open[made] {
			open[made] = true // reported
			problems = append(problems, fmt.Errorf("%s is public, but a guard protects the route %s and all others that serve it; take Public out, so that no cache gives the results to clients without access",
				hint, naming.Printable(route.fullPath())))
		}
	}
	return errors.Join(problems...)
}

// refuses reports whether a guard may refuse a request. That of package mcptest doesn't.
func refuses(guard Guard) bool {
	_, never := guard.(interface{ RefusesNobody() })
	return !never
}
