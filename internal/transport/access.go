package transport

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/protected"
)

// errExpired ends a stream whose access token has expired.
var errExpired = errors.New("the access token has expired")

// withAccess returns a context that ends when the access token of a request expires or is
// revoked. It returns the context unchanged if the request needs no token.
func withAccess(ctx context.Context, r *http.Request) (_ context.Context, stop func()) {
	access := protected.AccessFrom(r.Context())
	if access == nil {
		return ctx, func() {}
	}
	ctx, end := context.WithCancelCause(ctx)
	watch := &accessWatch{access: access, end: end}
	watch.again()
	return ctx, func() {
		watch.stop()
		end(nil)
	}
}

// An accessWatch checks the access token of an open stream.
type accessWatch struct {
	access *protected.Access
	end    context.CancelCauseFunc

	lock    sync.Mutex
	timer   *time.Timer
	stopped bool
}

// again checks the token after a while, or when it expires.
func (a *accessWatch) again() {
	a.lock.Lock()
	defer a.lock.Unlock()
	wait := limits.AccessCheck
	if expires := a.access.Expires(); !expires.IsZero() {
		wait = min(wait, time.Until(expires))
	}
	if !a.stopped {
		a.timer = time.AfterFunc(wait, a.check)
	}
}

func (a *accessWatch) check() {
	if expires := a.access.Expires(); !expires.IsZero() && !time.Now().Before(expires) {
		a.end(errExpired)
		return
	}
	if err := a.access.Check(); err != nil {
		a.end(err)
		return
	}
	a.again()
}

func (a *accessWatch) stop() {
	a.lock.Lock()
	defer a.lock.Unlock()
	a.stopped = true
	a.timer.Stop()
}
