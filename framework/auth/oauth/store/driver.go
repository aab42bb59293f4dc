package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A Driver opens the stores whose addresses have one of its schemes. Each package of a store
// has one, which the program names, so that it links only the databases that it uses.
type Driver struct {
	Schemes []string
	Open    func(ctx context.Context, address string) (Store, error)
}

// packageOf returns the package of this module that has the driver of a scheme, or "".
func packageOf(scheme string) string {
	switch scheme {
	case "postgresql":
		return "postgres"
	case "rediss":
		return "redis"
	case "sqlite", "postgres", "redis", "memory":
		return scheme
	}
	return ""
}

// Open opens the store at an address, such as sqlite:storage/oauth.db or
// postgres://user@host/database, with the driver of its scheme.
func Open(ctx context.Context, address string, from ...Driver) (Store, error) {
	scheme, _, ok := strings.Cut(address, ":")
	if !ok {
		return nil, fmt.Errorf("the address of the store has no scheme; give one such as %q", "sqlite:storage/oauth.db")
	}
	for _, driver := range from {
		if slices.Contains(driver.Schemes, scheme) {
			return driver.Open(ctx, address)
		}
	}
	if name := packageOf(scheme); name != "" {
		return nil, fmt.Errorf("the program has no driver for stores at %s:; import \"github.com/bowline-mcp/bowline/framework/auth/oauth/store/%s\" and add %s.Driver() to the drivers", scheme, name, name)
	}
	return nil, errors.New("the scheme of the store's address is unknown; use sqlite, postgres, redis or memory")
}
