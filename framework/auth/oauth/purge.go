package oauth

import (
	"context"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// purgePause is the time between two purges of a server that is open. Strangers make records
// that expire in ten minutes, so an hour would keep seven times as many.
const purgePause = time.Minute

// purge removes what has expired, and the oldest of many clients that nobody has used.
func purge(ctx context.Context, from store.Store) (records, clients int, err error) {
	if records, err = from.Purge(ctx, time.Now()); err != nil {
		return records, 0, err
	}
	clients, err = from.PruneClients(ctx, limits.UnusedClients)
	return records, clients, err
}

// purgeNow is the command auth:purge.
func purgeNow(ctx context.Context, from store.Store, in *invocation) error {
	records, clients, err := purge(ctx, from)
	if err != nil {
		return err
	}
	return in.printf("Removed %d expired grants, tokens and logins, and %d clients that nobody has used.\n", records, clients)
}

// purgeEveryMinute purges a store now and then every minute, until the context ends.
func (s *Server) purgeEveryMinute(ctx context.Context, from store.Store) {
	next := time.NewTicker(purgePause)
	defer next.Stop()
	for {
		records, clients, err := purge(ctx, from)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			s.logger().WarnContext(ctx, "expired records of the authorization server were not removed", "error", err)
		case records+clients > 0:
			s.logger().DebugContext(ctx, "removed expired records of the authorization server", "records", records, "clients", clients)
		}
		select {
		case <-ctx.Done():
			return
		case <-next.C:
		}
	}
}
