package mcp

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/transport"
	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// componentEndpoints are the endpoints of the components by their paths.
type componentEndpoints map[string]Endpoint

// ServeHTTP serves an endpoint.
func (c componentEndpoints) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c[r.URL.Path].Handler.ServeHTTP(w, r)
}

// componentEndpoints returns the endpoints of the router's components. Routes has the paths of
// routes.
func (b *booter) componentEndpoints(router *Router, routes map[string]string) (componentEndpoints, error) {
	b.components = router.components
	prefix, all, paths := b.config.path(), componentEndpoints{}, claims{what: "path", owners: map[string]string{}}
	for pattern, path := range routes {
		paths.owners[pattern] = "the route " + naming.Printable(path)
	}
	paths.owners[alivePath], paths.owners[readyPath] = "the health check of the program", "the health check of the program"
	var problems []error
	for _, c := range b.components {
		endpoints, err := c.endpoints(prefix)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		for _, endpoint := range endpoints {
			if err := endpoint.check(); err != nil {
				problems = append(problems, fmt.Errorf("%s: %w", c.name, err))
				continue
			}
			endpoint.Handler = b.admitted(endpoint)
			short := withoutPrefix(endpoint.Path, prefix)
			paths.add(c.name, endpoint.Path, slices.Compact([]string{short, endpoint.Path})...)
			all[short], all[endpoint.Path] = endpoint, endpoint
		}
	}
	if err := errors.Join(append(problems, paths.problem())...); err != nil {
		return nil, err // the commands of two authorization servers, for example, would only repeat it
	}
	_, err := router.commands()
	return all, err
}

// withoutPrefix returns the path of a request from which a proxy has removed the path of
// Config.URL.
func withoutPrefix(path, prefix string) string {
	if short, ok := strings.CutPrefix(path, prefix); ok && strings.HasPrefix(short, "/") {
		return short
	}
	return path
}

// check returns what keeps an endpoint from being served.
func (e Endpoint) check() error {
	if !strings.HasPrefix(e.Path, "/") || hasParameters(e.Path) {
		return fmt.Errorf("the path %q of an endpoint must begin with a slash and have no parameters, such as \"/jobs\"", e.Path)
	}
	if e.Handler == nil {
		return fmt.Errorf("the endpoint %s has no Handler; set one", naming.Printable(e.Path))
	}
	return nil
}

// admitted returns the handler of an endpoint behind the limits of the program.
func (b *booter) admitted(e Endpoint) http.Handler {
	if e.Refuse == nil {
		e.Refuse = func(w http.ResponseWriter, _ *http.Request, refusal *exchange.Error) {
			http.Error(w, refusal.Message, refusal.Status)
		}
	}
	admission := transport.Admission{Shares: b.shares, BodyTime: b.config.BodyTimeout, Logger: b.config.Logger}
	return admission.Handler(e.MaxBody, cmp.Or(e.Weight, limits.RequestWeight), e.Refuse, e.Handler)
}

// claims are the owners of paths or commands, each of which can have only one.
type claims struct {
	what    string // "path" or "command"
	owners  map[string]string
	clashes []clash
}

// A clash is what two owners claim.
type clash struct {
	owners string
	names  []string
}

// add gives a name to an owner, unless another has one of the keys of the name.
func (c *claims) add(owner, name string, keys ...string) {
	for _, key := range keys {
		other, taken := c.owners[key]
		if !taken {
			c.owners[key] = owner
			continue
		}
		owners := other + " and " + owner
		if other == owner {
			owners = owner + " twice"
		}
		i := slices.IndexFunc(c.clashes, func(known clash) bool { return known.owners == owners })
		if i < 0 {
			i, c.clashes = len(c.clashes), append(c.clashes, clash{owners: owners})
		}
		c.clashes[i].names = append(c.clashes[i].names, naming.Printable(name))
		return
	}
}

// problem returns an error that names all clashes with their owners.
func (c *claims) problem() error {
	var problems []error
	for _, clash := range c.clashes {
		if len(clash.names) == 1 {
			problems = append(problems, fmt.Errorf("the %s %s belongs to %s; choose another %s", c.what, clash.names[0], clash.owners, c.what))
			continue
		}
		problems = append(problems, fmt.Errorf("the %ss %s belong to %s; take out one component, or choose other %ss", c.what, strings.Join(clash.names, ", "), clash.owners, c.what))
	}
	return errors.Join(problems...)
}
