package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/framework/exchange"
)

// asFlag is the flag of start with the name of the principal that the client acts as. It asks for
// no token: whoever starts the program can read and change all that it can. A principal of the
// network can't use it.
const asFlag = "--as"

// A principalFinder is a guard that knows principals by name; see auth.BearerGuard.FindPrincipal.
type principalFinder interface {
	FindPrincipal(ctx context.Context, name string) (exchange.Principal, error)
}

// findPrincipal returns the principal whom a guard of the routes knows by a name.
func (r *Router) findPrincipal(ctx context.Context, name string) (exchange.Principal, error) {
	var finders []principalFinder
	r.visit("", func(_, _ string, route *Route) {
		for _, guard := range route.allGuards() {
			if finder, ok := guard.(principalFinder); ok {
				finders = append(finders, finder)
			}
		}
	})
	var reasons []string
	for _, finder := range finders {
		principal, err := finder.FindPrincipal(ctx, name)
		if err == nil {
			return principal, nil
		}
		if reason := err.Error(); !slices.Contains(reasons, reason) {
			reasons = append(reasons, reason)
		}
	}
	if len(finders) == 0 {
		return exchange.Principal{}, fmt.Errorf("the principal %q is unknown: no route has a guard that knows principals by name, such as auth.Bearer; without one there is only the user of the process", name)
	}
	return exchange.Principal{}, fmt.Errorf("the principal %q is unknown: %s", name, strings.Join(reasons, "; "))
}
