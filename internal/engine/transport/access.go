package transport

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/internal/engine/protected"
	"github.com/bowline-mcp/bowline/internal/limits"
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
	watch := &accessWatch{access: access, ctx: ctx, end: end}
	watch.lock.Lock()
	defer watch.lock.Unlock()
	watch.timer = time.AfterFunc(limits.AccessCheck, watch.check)
	if expires := access.Expires(); !expires.IsZero() { // not a part of check, which may take long
		watch.expiry = time.AfterFunc(time.Until(expires), func() { end(errExpired) })
	}
	return ctx, watch.stop
}

// An accessWatch checks the access token of an open stream.
type accessWatch struct {
	access *protected.Access
	ctx    context.Context // of the stream
	end    context.CancelCauseFunc
	expiry *time.Timer // nil if the token doesn't expire

	lock  sync.Mutex
	timer *time.Timer // of the next check; nil if the stream has ended
}

// check checks the token, and again after a while.
func (a *accessWatch) check() {
	ctx, cancel := context.WithTimeout(a.ctx, limits.AccessCheckTime)
	defer cancel()
	if err := a.access.Check(ctx); err != nil {
		a.end(err)
		return
	}
	a.lock.Lock()
	defer a.lock.Unlock()
	if a.timer != nil {
		a.timer.Reset(limits.AccessCheck)
	}
}

func (a *accessWatch) stop() {
	a.lock.Lock()
	defer a.lock.Unlock()
	a.timer.Stop()
	a.timer = nil
	if a.expiry != nil {
		a.expiry.Stop()
	}
	a.end(nil)
}
