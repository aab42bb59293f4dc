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

// whileAuthorized returns a context that ends when the access token of a request expires or is
// revoked. It returns the context unchanged if the request needs no token.
func whileAuthorized(ctx context.Context, r *http.Request) (_ context.Context, stop func()) {
	authorization := protected.AuthorizationFrom(r.Context())
	if authorization == nil {
		return ctx, func() {}
	}
	ctx, end := context.WithCancelCause(ctx)
	watch := &tokenWatch{authorization: authorization, ctx: ctx, end: end}
	watch.lock.Lock()
	defer watch.lock.Unlock()
	watch.timer = time.AfterFunc(limits.AccessCheck, watch.check)
	if expires := authorization.Expires(); !expires.IsZero() { // not a part of check, which may take long
		watch.expiry = time.AfterFunc(time.Until(expires), func() { end(errExpired) })
	}
	return ctx, watch.stop
}

// A tokenWatch checks the access token of an open stream.
type tokenWatch struct {
	authorization *protected.Authorization
	ctx           context.Context // the stream's
	end           context.CancelCauseFunc
	expiry        *time.Timer // nil if the token doesn't expire

	lock  sync.Mutex
	timer *time.Timer // fires for the next check; nil if the stream has ended
}

// check checks the token, and again after a while.
func (t *tokenWatch) check() {
	ctx, cancel := context.WithTimeout(t.ctx, limits.AccessCheckTime)
	defer cancel()
	if err := t.authorization.Check(ctx); err != nil {
		t.end(err)
		return
	}
	t.lock.Lock()
	defer t.lock.Unlock()
	if t.timer != nil {
		t.timer.Reset(limits.AccessCheck)
	}
}

func (t *tokenWatch) stop() {
	t.lock.Lock()
	defer t.lock.Unlock()
	t.timer.Stop()
	t.timer = nil
	if t.expiry != nil {
		t.expiry.Stop()
	}
	t.end(nil)
}
