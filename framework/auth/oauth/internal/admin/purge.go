package admin

import (
	"context"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// Purge removes what has expired, and the oldest of many clients that nobody has used.
func Purge(ctx context.Context, from store.Store) (records, clients int, err error) {
	if records, err = from.Purge(ctx, time.Now()); err != nil {
		return records, 0, err
	}
	clients, err = from.PruneClients(ctx, limits.UnusedClients)
	return records, clients, err
}

// purgeNow is the command auth:purge.
func purgeNow(ctx context.Context, from store.Store, in *invocation) error {
	records, clients, err := Purge(ctx, from)
	if err != nil {
		return err
	}
	return in.printf("Removed %d expired grants, tokens and logins, and %d clients that nobody has used.\n", records, clients)
}
