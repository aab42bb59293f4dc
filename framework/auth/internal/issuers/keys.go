// Package issuers sends requests to issuers of tokens: it discovers their endpoints, fetches
// their keys, and waits while they fail. The requests are bounded, so that neither an issuer
// nor whoever sends tokens can make the program send many.
package issuers

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/jose"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// Keys are the keys that an issuer publishes. They are fetched when the first token
// arrives, and again in the background when they get old. At most one fetch runs at a time.
type Keys struct {
	endpoint Endpoint
	Outage   Outage
	// Patience is how long a token with an unknown key waits for a fetch. The default is 50 ms.
	Patience time.Duration

	current atomic.Pointer[Fetched] // nil before the first success

	mu          sync.Mutex
	running     *Fetch    // nil if no fetch runs
	nextUnknown time.Time // of the next fetch because of an unknown key
}

// Fetched are keys that were fetched at once.
type Fetched struct {
	Set        jose.KeySet
	Generation uint64    // changes when a key is withdrawn, since its tokens are no longer valid
	refresh    time.Time // when they are fetched again
	end        time.Time // when they are no longer used
}

// NewKeys returns the keys of an issuer at a URL, or at the one in its metadata if jwks is "".
// Nil means the default logger.
func NewKeys(fetcher *Fetcher, issuer, jwks string, logger *slog.Logger) *Keys {
	return &Keys{
		endpoint: Endpoint{Fetcher: fetcher, Issuer: issuer, Member: "jwks_uri", Fixed: jwks}, Outage: Outage{Issuer: issuer, Logger: logger},
		Patience: limits.UnknownKeyWait,
	}
}

// A Fetch is a request to an issuer in the background.
type Fetch struct {
	Done chan struct{} // closed when it ends
}

// Usable returns the keys, or nil if there are none that may still be used. It starts a fetch
// if they are old.
func (k *Keys) Usable(now time.Time) *Fetched {
	keys := k.current.Load()
	if keys == nil || !now.Before(keys.refresh) {
		return k.old(keys, now)
	}
	return keys
}

func (k *Keys) old(keys *Fetched, now time.Time) *Fetched {
	if keys == nil || !now.Before(keys.end) {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.start(keys, now)
	return keys
}

// start starts a fetch, unless one runs, an outage forbids it, or there are newer keys than
// the caller has seen. It returns the fetch, or how long to wait. The caller holds the lock.
func (k *Keys) start(seen *Fetched, now time.Time) (*Fetch, time.Duration) {
	if k.current.Load() != seen {
		done := make(chan struct{})
		close(done)
		return &Fetch{Done: done}, 0
	}
	if k.running != nil {
		return k.running, 0
	}
	if wait := k.Outage.Wait(now); wait > 0 {
		return nil, wait
	}
	k.running = &Fetch{Done: make(chan struct{})}
	go k.run(k.running)
	return k.running, 0
}

// Find returns the current keys, which it fetches if there are none, or if they lack the key
// of a token. They may still lack it then. The error is an *exchange.Error if there are none.
func (k *Keys) Find(ctx context.Context, token *jose.Unverified, now time.Time) (*Fetched, error) {
	seen := k.current.Load()
	switch keys := k.Usable(now); {
	case keys == nil:
		return k.first(ctx, seen, now)
	case !keys.Set.MayVerify(token):
		return k.rotated(ctx, keys, token, now)
	default:
		return keys, nil
	}
}

// first waits for keys when there are none that may be used.
func (k *Keys) first(ctx context.Context, seen *Fetched, now time.Time) (*Fetched, error) {
	k.mu.Lock()
	running, wait := k.start(seen, now)
	k.mu.Unlock()
	if running == nil {
		return nil, Unavailable(wait)
	}
	running.Wait(ctx, limits.IssuerTimeout)
	keys := k.Usable(time.Now())
	if keys == nil {
		return nil, Unavailable(k.Outage.Wait(time.Now()))
	}
	return keys, nil
}

// rotated fetches the keys again if they lack one, since the issuer may have a new key. An
// attacker who sends tokens with any IDs causes one fetch a minute, and no request waits for
// long.
func (k *Keys) rotated(ctx context.Context, keys *Fetched, token *jose.Unverified, now time.Time) (*Fetched, error) {
	running, wait := k.startUnknown(keys, now)
	switch {
	case running == nil && k.Outage.lasts():
		return nil, Unavailable(wait)
	case running == nil:
		return keys, nil
	case !running.Wait(ctx, k.Patience):
		return nil, Unavailable(time.Second)
	}
	newer := k.Usable(time.Now())
	if newer == nil || !newer.Set.MayVerify(token) && k.Outage.lasts() {
		return nil, Unavailable(k.Outage.Wait(time.Now()))
	}
	return newer, nil
}

// startUnknown starts a fetch because of an unknown key, at most once a minute.
func (k *Keys) startUnknown(seen *Fetched, now time.Time) (*Fetch, time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.running == nil && k.current.Load() == seen {
		if wait := k.nextUnknown.Sub(now); wait > 0 {
			return nil, wait
		}
		k.nextUnknown = now.Add(limits.UnknownKeyPause)
	}
	return k.start(seen, now)
}

// Wait waits for the fetch. It reports false if that takes longer than the limit, or if the
// context ends.
func (f *Fetch) Wait(ctx context.Context, limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-f.Done:
		return true
	case <-timer.C:
	case <-ctx.Done():
	}
	return false
}

// run runs a fetch. It doesn't depend on the request that needs it first, since others wait
// for it too.
func (k *Keys) run(running *Fetch) {
	ctx, cancel := context.WithTimeout(context.Background(), limits.IssuerTimeout)
	defer cancel()
	set, age, err := k.fetch(ctx)
	now := time.Now()
	if err != nil {
		k.endpoint.Forget()
		k.Outage.Failed(now, err, true)
	} else {
		k.Outage.Ended()
		k.replace(set, age, now)
	}
	k.mu.Lock()
	k.running = nil
	k.mu.Unlock()
	close(running.Done)
}

// fetch fetches the keys. It also returns how long they may be used.
func (k *Keys) fetch(ctx context.Context) (jose.KeySet, time.Duration, error) {
	address, err := k.endpoint.URL(ctx)
	if err != nil {
		return jose.KeySet{}, 0, err
	}
	answer, err := k.endpoint.Fetcher.get(ctx, address)
	if err != nil {
		return jose.KeySet{}, 0, fmt.Errorf("fetching its keys: %w", err)
	}
	if answer.Status != http.StatusOK {
		return jose.KeySet{}, 0, fmt.Errorf("fetching its keys: %s answers with the status %d; check the URL in the issuer's metadata or Issuer.JWKS", address, answer.Status)
	}
	set, err := jose.ParseKeySet(answer.Body)
	if err != nil {
		return jose.KeySet{}, 0, fmt.Errorf("fetching its keys from %s: %w", address, err)
	}
	return set, maxAge(answer.Header), nil
}

// replace puts new keys in the place of the current ones.
func (k *Keys) replace(set jose.KeySet, age time.Duration, now time.Time) {
	keys := &Fetched{Set: set, refresh: now.Add(age), end: now.Add(limits.StaleKeys)}
	if old := k.current.Load(); old != nil {
		keys.Generation = old.Generation
		if !set.Includes(old.Set) {
			keys.Generation++
		}
	}
	if set.Len() == 0 && k.Outage.Client {
		k.Outage.log().Info("a client publishes no key (jwks_uri) that can verify its assertions, so all are refused", "url", k.Outage.Issuer, "skipped", set.Skipped())
	} else if set.Len() == 0 {
		k.Outage.log().Warn("the issuer publishes no key that can verify its tokens, so all are refused", "issuer", k.Outage.Issuer, "skipped", set.Skipped())
	}
	k.current.Store(keys)
}

// maxAge returns how long an answer may be used (RFC 9111), within the limits.
func maxAge(header http.Header) time.Duration {
	for _, directive := range strings.Split(strings.Join(header.Values("Cache-Control"), ","), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(directive), "=")
		if seconds, err := strconv.Atoi(value); err == nil && strings.EqualFold(name, "max-age") {
			return min(max(time.Duration(min(seconds, 1<<20))*time.Second, limits.MinKeyAge), limits.MaxKeyAge)
		}
	}
	return limits.MinKeyAge
}
