package authorize

import (
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/endpoint"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/events"
	"github.com/bowline-mcp/bowline/internal/engine/throttle"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// errWrong is the reason for the problem login.wrong of the form.
var errWrong = errors.New("the name or the password is wrong")

// reportFailed reports a login that failed. Only what another server did is for the operator to
// look at: strangers make up names.
func (e *Endpoint) reportFailed(r *http.Request, level slog.Level, name string, err error) {
	ctx, name := r.Context(), enteredName(name)
	attrs := []slog.Attr{slog.Any("reason", err)}
	if name != "" {
		attrs = append(attrs, slog.String("name", name))
	}
	endpoint.Report(ctx, e.Base, level, "a login failed", events.LoginFailed{Authorization: endpoint.Authorization(ctx), Name: name, Err: err}, attrs...)
}

// reportLockedOut reports a login that was refused without a look at the password, once a minute
// for each name: who is refused may try as often as a connection allows. A stranger may use names
// that don't exist, so the reports about one address are limited too, but to more than one:
// otherwise the lock-out of such a name would hide that of a user.
func (e *Endpoint) reportLockedOut(r *http.Request, name string, wait time.Duration) {
	ctx, name := r.Context(), enteredName(name)
	hash := store.HashOf(name)
	of := throttle.KeyOf(string(hash[:]), netip.Addr{})
	if e.Limits.NameLockOuts.Wait(of) > 0 || e.Limits.AddressLockOuts.Take(e.Caller(r)) > 0 {
		return
	}
	e.Limits.NameLockOuts.Take(of)
	event := events.LockedOut{Authorization: endpoint.Authorization(ctx), Name: name, Wait: wait}
	endpoint.Report(ctx, e.Base, slog.LevelWarn, "a login is locked out after too many wrong passwords", event, slog.String("name", name), slog.Duration("wait", wait))
}

// enteredName returns a name from a form, as users are found by, and not longer than they can be.
func enteredName(text string) string {
	name := strings.ToLower(strings.TrimSpace(text))
	return strings.ToValidUTF8(name[:min(len(name), limits.MaxUserName)], "")
}
