// Package issuers sends requests to issuers of tokens: it discovers their endpoints, fetches
// their keys, and waits while they fail. The requests are bounded, so that neither an issuer
// nor whoever sends tokens can make the program send many.
package issuers

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

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
	// Local returns the keys of an issuer in this program, which needs no requests. It may be nil.
	Local func() ([]byte, error)

	current     atomic.Pointer[Fetched] // nil before the first success
	fetches     singleflight.Group
	nextUnknown time.Time // of the next fetch because of an unknown key; only a fetch reads or sets it
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
	if k.Outage.Wait(now) == 0 {
		k.start(keys, now, false)
	}
	return keys
}

// start starts a fetch, unless one runs, an outage forbids it, or there are newer keys than the
// caller has seen. A fetch because of an unknown key starts at most once a minute. The result is
// how long to wait if none was started.
func (k *Keys) start(seen *Fetched, now time.Time, unknown bool) <-chan singleflight.Result {
	return k.fetches.DoChan("", func() (any, error) {
		if k.current.Load() != seen {
			return time.Duration(0), nil
		}
		if unknown {
			if wait := k.nextUnknown.Sub(now); wait > 0 {
				return wait, nil
			}
			k.nextUnknown = now.Add(limits.UnknownKeyPause)
		}
		if wait := k.Outage.Wait(now); wait > 0 {
			return wait, nil
		}
		k.run()
		return time.Duration(0), nil
	})
}

// Await waits for a result. It reports false if that takes longer than the limit, or if the
// context ends.
func Await(ctx context.Context, running <-chan singleflight.Result, limit time.Duration) (result any, ok bool) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	select {
	case ended := <-running:
		return ended.Val, true
	case <-ctx.Done():
		return nil, false
	}
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
	Await(ctx, k.start(seen, now, false), limits.IssuerTimeout)
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
	result, ok := Await(ctx, k.start(keys, now, true), k.Patience)
	if !ok {
		return nil, Unavailable(time.Second)
	}
	if wait, _ := result.(time.Duration); wait > 0 {
		if k.Outage.lasts() {
			return nil, Unavailable(wait)
		}
		return keys, nil
	}
	newer := k.Usable(time.Now())
	if newer == nil || !newer.Set.MayVerify(token) && k.Outage.lasts() {
		return nil, Unavailable(k.Outage.Wait(time.Now()))
	}
	return newer, nil
}

// run runs a fetch. It doesn't depend on the request that needs it first, since others wait
// for it too.
func (k *Keys) run() {
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
}

// fetch fetches the keys. It also returns how long they may be used.
func (k *Keys) fetch(ctx context.Context) (jose.KeySet, time.Duration, error) {
	if k.Local != nil {
		text, err := k.Local()
		if err != nil {
			return jose.KeySet{}, 0, err
		}
		set, err := jose.ParseKeySet(text)
		return set, limits.MinKeyAge, err
	}
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
	return set, answer.Lifetime(limits.MinKeyAge, limits.MaxKeyAge, limits.MinKeyAge), nil
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
