package mcp

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/internal/engine/protected"
)

// asFlag is the flag of start with the name of the principal that the client acts as. It asks for
// no token: whoever starts the program can read and change all that it can. A principal of the
// network can't use it.
const asFlag = "--as"

// findPrincipal returns the principal whom a route of a server knows by a name and would let in. A
// server without a route of its own has the principals of all routes.
func (r *Router) findPrincipal(ctx context.Context, server servers.Interface, name string) (exchange.Principal, error) {
	var all, own []protected.NamedGuards
	r.visitServed(func(path string, route *Route) {
		guards := protected.NamedGuards{Path: path}
		for _, guard := range route.allGuards() {
			guards.Guards = append(guards.Guards, guard)
		}
		if all = append(all, guards); route.server == server {
			own = append(own, guards)
		}
	})
	if len(own) == 0 {
		return protected.FindPrincipal(ctx, all, "no route", name)
	}
	return protected.FindPrincipal(ctx, own, "no route of the server", name)
}
