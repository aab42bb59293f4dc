package issuers

import (
	"cmp"
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// An Outage spaces the requests to an issuer that fails, and logs when it begins and ends.
// It is safe for concurrent use.
type Outage struct {
	Issuer string
	Logger *slog.Logger // nil means slog.Default

	// Client means that a client has named the issuer for its own keys. It may be anybody, so
	// its failures are logged at the level INFO.
	Client bool

	mu     sync.Mutex
	began  bool
	pause  time.Duration
	next   time.Time // of the next attempt
	logged time.Time // when an outage was last logged
	silent bool      // this outage was not logged
}

// Wait returns how long the issuer must not be asked, or 0.
func (o *Outage) Wait(now time.Time) time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	return max(0, o.next.Sub(now))
}

// Failed records a failure. If the issuer doesn't answer at all, the next attempt has to
// wait.
func (o *Outage) Failed(now time.Time, err error, pause bool) {
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
		if o.Client {
			o.log().Info("the keys of a client (jwks_uri) can't be fetched", "url", o.Issuer, "error", err)
			return
		}
		o.log().Error("an issuer of tokens fails; tokens that can't be verified without it are refused with 503", "issuer", o.Issuer, "error", err)
	}
}

// Ended records a success.
func (o *Outage) Ended() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.began && !o.silent && !o.Client {
		o.log().Info("the issuer of tokens works again", "issuer", o.Issuer)
	}
	o.began, o.pause, o.next = false, 0, time.Time{}
}

// lasts reports whether the last request to the issuer failed.
func (o *Outage) lasts() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.began
}

func (o *Outage) log() *slog.Logger { return cmp.Or(o.Logger, slog.Default()) }

// Unavailable returns the error for a token that can't be verified at the moment. It doesn't
// have the cause, which is logged once for all tokens.
func Unavailable(retry time.Duration) *exchange.Error {
	seconds := max(1, (retry+time.Second-1)/time.Second)
	return &exchange.Error{
		Code:    exchange.CodeInternalError,
		Message: "The access token can't be verified at the moment; try again later",
		Status:  http.StatusServiceUnavailable,
		Header:  http.Header{"Retry-After": {strconv.Itoa(int(seconds))}},
	}
}
