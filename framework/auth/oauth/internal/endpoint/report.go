package endpoint

import (
	"context"
	"log/slog"
	"strings"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/events"
	"github.com/bowline-mcp/bowline/internal/engine/dispatch"
)

// Report logs an event of a request, with the address that it came from, and calls the listeners
// of the program.
func Report[E events.Event](ctx context.Context, b *Base, level slog.Level, text string, event E, attrs ...slog.Attr) {
	if s := of(ctx); s != nil {
		attrs = append(attrs, slog.Any("address", s.address))
	}
	b.Logger.LogAttrs(ctx, level, text, attrs...)
	dispatch.Dispatch(context.WithoutCancel(ctx), (*dispatch.Dispatcher)(b.Events), b.Logger, event)
}

// Authorization returns the common fields of the events of a request.
func Authorization(ctx context.Context) (common events.Authorization) {
	if s := of(ctx); s != nil {
		s.lock.Lock()
		defer s.lock.Unlock()
		common = events.Authorization{User: s.user, Client: s.client, Address: s.address, RequestID: s.id.String()}
	}
	return common
}

// ReportIssued reports that tokens were issued by a grant_type. Refreshed ones are too many for
// listeners.
func (b *Base) ReportIssued(ctx context.Context, kind string, grant store.Grant) {
	attrs := []slog.Attr{slog.String("grant", grant.ID), slog.String("type", kind), slog.String("scopes", strings.Join(grant.Scopes, " "))}
	switch kind {
	case "refresh_token":
		b.Logger.LogAttrs(ctx, slog.LevelDebug, "tokens were refreshed", attrs[0])
	default:
		event := events.GrantIssued{Authorization: Authorization(ctx), Grant: grant.ID, Type: kind, Scopes: grant.Scopes}
		Report(ctx, b, slog.LevelInfo, "a grant was issued", event, attrs...)
	}
}

// ReportReused reports that a grant was revoked because its code, or a refresh token, was used
// again.
func (b *Base) ReportReused(ctx context.Context, refreshed bool, grant store.Grant) {
	id := slog.String("grant", grant.ID)
	if refreshed {
		Report(ctx, b, slog.LevelWarn, "a refresh token was reused, so its grant was revoked", events.RefreshTokenReused{Authorization: Authorization(ctx), Grant: grant.ID}, id)
		return
	}
	Report(ctx, b, slog.LevelWarn, "an authorization code was reused, so its grant was revoked", events.CodeReused{Authorization: Authorization(ctx), Grant: grant.ID}, id)
}

// ReportRevoked reports that a grant was revoked.
func (b *Base) ReportRevoked(ctx context.Context, grant store.Grant, reason events.Revocation) {
	level := slog.LevelInfo
	if reason == events.RevokedWrongVerifier {
		level = slog.LevelWarn
	}
	event := events.GrantRevoked{Authorization: Authorization(ctx), Grant: grant.ID, Reason: reason}
	Report(ctx, b, level, "a grant was revoked", event, slog.String("grant", grant.ID), slog.String("reason", string(reason)))
}
