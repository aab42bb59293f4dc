package oauth

import (
	"context"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/admin"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
)

// purgePause is the time between two purges of a server that is open. Strangers make records
// that expire in ten minutes, so an hour would keep seven times as many.
const purgePause = time.Minute

// purgeEveryMinute purges a store now and then every minute, until the context ends.
func (s *Server) purgeEveryMinute(ctx context.Context, from store.Store) {
	next := time.NewTicker(purgePause)
	defer next.Stop()
	for {
		records, clients, err := admin.Purge(ctx, from)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			s.base.Logger.WarnContext(ctx, "expired records of the authorization server were not removed", "error", err)
		case records+clients > 0:
			s.base.Logger.DebugContext(ctx, "removed expired records of the authorization server", "records", records, "clients", clients)
		}
		select {
		case <-ctx.Done():
			return
		case <-next.C:
		}
	}
}
