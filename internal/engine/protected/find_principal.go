package protected

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// A principalFinder is a guard that knows principals by name; see auth.BearerGuard.FindPrincipal.
type principalFinder interface {
	FindPrincipal(ctx context.Context, name string) (exchange.Principal, error)
}

// NamedGuards are the guards of the route with a path.
type NamedGuards struct {
	Path   string
	Guards []Guard
}

// FindPrincipal returns the principal whom one of the routes knows by a name and would let in. The
// error begins with none, such as "no route", if no guard of them knows principals by name.
func FindPrincipal(ctx context.Context, routes []NamedGuards, none, name string) (exchange.Principal, error) {
	var reasons []string
	problem := "unknown"
	for _, route := range routes {
		principal, err := route.find(ctx, name)
		if err == nil {
			return principal, nil
		}
		if lacking, ok := errors.AsType[*exchange.ScopeError](err); ok {
			problem = "refused"
			err = fmt.Errorf("a guard of %s needs %s, and the principal has %s", naming.Printable(route.Path),
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

// errNoFinder means that no guard of a route knows principals by name.
var errNoFinder = errors.New("no guard knows principals by name")

// find returns the principal with a name, as a request to the route has it: that of the last guard,
// if the others know it too. Guards that don't know names are left out.
func (g NamedGuards) find(ctx context.Context, name string) (principal exchange.Principal, err error) {
	err = errNoFinder
	for _, guard := range g.Guards {
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
