package auth

import (
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// An outage spaces the requests to an issuer that fails, and logs when it begins and ends.
// It is safe for concurrent use.
type outage struct {
	issuer string
	logger *slog.Logger // nil means slog.Default

	mu     sync.Mutex
	began  bool
	pause  time.Duration
	next   time.Time // of the next attempt
	logged time.Time // when an outage was last logged
	silent bool      // this outage was not logged
}

// wait returns how long the issuer must not be asked, or 0.
func (o *outage) wait(now time.Time) time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	return max(0, o.next.Sub(now))
}

// failed records a failure. If the issuer doesn't answer at all, the next attempt has to
// wait.
func (o *outage) failed(now time.Time, err error, pause bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if pause {
		o.pause = min(max(2*o.pause, limits.IssuerPause), limits.MaxIssuerPause)
		o.next = now.Add(o.pause)
	}
	if o.began {
		return
	}
	o.began = true
	if o.silent = !o.logged.IsZero() && now.Sub(o.logged) < limits.OutageLog; !o.silent {
		o.logged = now
		o.log().Error("the issuer of access tokens fails; tokens that can't be verified without it are refused with 503", "issuer", o.issuer, "error", err)
	}
}

// ended records a success.
func (o *outage) ended() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.began && !o.silent {
		o.log().Info("the issuer of access tokens works again", "issuer", o.issuer)
	}
	o.began, o.pause, o.next = false, 0, time.Time{}
}

// lasts reports whether the last request to the issuer failed.
func (o *outage) lasts() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.began
}

func (o *outage) log() *slog.Logger {
	if o.logger != nil {
		return o.logger
	}
	return slog.Default()
}

// unavailable returns the error for a token that can't be verified at the moment. It doesn't
// have the cause, which is logged once for all tokens.
func unavailable(retry time.Duration) *exchange.Error {
	seconds := max(1, (retry+time.Second-1)/time.Second)
	return &exchange.Error{
		Code:    exchange.CodeInternalError,
		Message: "The access token can't be verified at the moment; try again later",
		Status:  http.StatusServiceUnavailable,
		Header:  http.Header{"Retry-After": {strconv.Itoa(int(seconds))}},
	}
}
