package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// asFlag is the flag of start with the name of the principal that the client acts as. It asks for
// no token: whoever starts the program can read and change all that it can. A principal of the
// network can't use it.
const asFlag = "--as"

// A principalFinder is a guard that knows principals by name; see auth.BearerGuard.FindPrincipal.
type principalFinder interface {
	FindPrincipal(ctx context.Context, name string) (exchange.Principal, error)
}

// findPrincipal returns the principal whom a route of a server knows by a name and would let in. A
// server without a route of its own has the principals of all routes.
func (r *Router) findPrincipal(ctx context.Context, server servers.Interface, name string) (exchange.Principal, error) {
	routes, none := r.routesOf(server), "no route of the server"
	if len(routes) == 0 {
		r.visitServed(func(_ string, route *Route) { routes = append(routes, route) })
		none = "no route"
	}
	var reasons []string
	problem := "unknown"
	for _, route := range routes {
		principal, err := route.findPrincipal(ctx, name)
		if err == nil {
			return principal, nil
		}
		if lacking, ok := errors.AsType[*exchange.ScopeError](err); ok {
			problem = "refused"
			err = fmt.Errorf("a guard of %s needs %s, and the principal has %s", naming.Printable(route.fullPath()),
				strings.Join(lacking.Needed, " "), cmp.Or(strings.Join(lacking.Granted, " "), "no scope"))
		}
		if reason := err.Error(); !errors.Is(err, errNoFinder) && !slices.Contains(reasons, reason) {
			reasons = append(reasons, reason)
		}
	}
	if len(reasons) == 0 {
		return exchange.Principal{}, fmt.Errorf("the principal %q is unknown: %s has a guard that knows principals by name, such as auth.Bearer; without one there is only the user of the process", name, none)
	}
	return exchange.Principal{}, fmt.Errorf("the principal %q is %s: %s", name, problem, strings.Join(reasons, "; "))
}

// routesOf returns the web routes that serve a server.
func (r *Router) routesOf(server servers.Interface) (routes []*Route) {
	r.visitServed(func(_ string, route *Route) {
		if route.server == server {
			routes = append(routes, route)
		}
	})
	return routes
}

// errNoFinder means that no guard of a route knows principals by name.
var errNoFinder = errors.New("no guard knows principals by name")

// findPrincipal returns the principal with a name, as a request to the route has it: that of the last
// guard, if the others know it too. Guards that don't know names are left out.
func (r *Route) findPrincipal(ctx context.Context, name string) (principal exchange.Principal, err error) {
	err = errNoFinder
	for _, guard := range r.allGuards() {
		finder, ok := guard.(principalFinder)
		if !ok {
			continue
		}
		if principal, err = finder.FindPrincipal(ctx, name); err != nil {
			return exchange.Principal{}, err
		}
	}
	return principal, err
}
