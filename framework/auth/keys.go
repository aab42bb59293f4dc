package auth

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/jose"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// remoteKeys are the keys that an issuer publishes. They are fetched when the first token
// arrives, and again in the background when they get old. At most one fetch runs at a time.
type remoteKeys struct {
	endpoint endpoint
	outage   outage

	current atomic.Pointer[fetchedKeys] // nil before the first success

	mu          sync.Mutex
	running     *fetch    // nil if no fetch runs
	nextUnknown time.Time // of the next fetch because of an unknown key
}

// fetchedKeys are keys that were fetched at once.
type fetchedKeys struct {
	set        jose.KeySet
	generation uint64    // changes when a key is withdrawn, since its tokens are no longer valid
	refresh    time.Time // when they are fetched again
	end        time.Time // when they are no longer used
}

// A fetch is a fetch of keys in the background.
type fetch struct{ done chan struct{} }

// usable returns the keys, or nil if there are none that may still be used. It starts a fetch
// if they are old.
func (k *remoteKeys) usable(now time.Time) *fetchedKeys {
	keys := k.current.Load()
	if keys == nil || !now.Before(keys.refresh) {
		return k.old(keys, now)
	}
	return keys
}

func (k *remoteKeys) old(keys *fetchedKeys, now time.Time) *fetchedKeys {
	if keys == nil || !now.Before(keys.end) {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.start(keys, now)
	return keys
}

// start starts a fetch, unless one runs or an outage forbids it, or newer keys than those of
// the caller are there already. It returns the running fetch, or how long to wait. The caller
// holds the lock.
func (k *remoteKeys) start(seen *fetchedKeys, now time.Time) (*fetch, time.Duration) {
	if k.current.Load() != seen {
		done := make(chan struct{})
		close(done)
		return &fetch{done}, 0
	}
	if k.running != nil {
		return k.running, 0
	}
	if wait := k.outage.wait(now); wait > 0 {
		return nil, wait
	}
	k.running = &fetch{make(chan struct{})}
	go k.run(k.running)
	return k.running, 0
}

// find returns keys that include the one with the ID. It fetches them if it has to.
func (k *remoteKeys) find(ctx context.Context, id string, now time.Time) (*fetchedKeys, error) {
	keys := k.usable(now)
	if keys == nil {
		var err error
		if keys, err = k.first(ctx, now); err != nil {
			return nil, err
		}
	}
	if !keys.set.Has(id) {
		return k.rotated(ctx, keys, id, now)
	}
	return keys, nil
}

// first waits for keys when there are none.
func (k *remoteKeys) first(ctx context.Context, now time.Time) (*fetchedKeys, error) {
	k.mu.Lock()
	keys := k.current.Load()
	if keys != nil && now.Before(keys.end) { // another request has just got them
		k.mu.Unlock()
		return keys, nil
	}
	running, wait := k.start(keys, now)
	k.mu.Unlock()
	if running == nil {
		return nil, unavailable(wait)
	}
	running.wait(ctx, limits.IssuerTimeout)
	if keys = k.usable(time.Now()); keys == nil {
		return nil, unavailable(k.outage.wait(time.Now()))
	}
	return keys, nil
}

// rotated fetches the keys again if they lack one, since the issuer may have a new key. An
// attacker who sends tokens with any IDs causes one fetch a minute, and no request waits for
// long. The keys that it returns may still lack the key.
func (k *remoteKeys) rotated(ctx context.Context, keys *fetchedKeys, id string, now time.Time) (*fetchedKeys, error) {
	running, wait := k.startUnknown(keys, now)
	switch {
	case running == nil && k.outage.lasts():
		return nil, unavailable(wait)
	case running == nil:
		return keys, nil
	case !running.wait(ctx, limits.UnknownKeyWait):
		return nil, unavailable(time.Second)
	}
	newer := k.usable(time.Now())
	if newer == nil || !newer.set.Has(id) && k.outage.lasts() {
		return nil, unavailable(k.outage.wait(time.Now()))
	}
	return newer, nil
}

// startUnknown starts a fetch because of an unknown key, at most once a minute.
func (k *remoteKeys) startUnknown(seen *fetchedKeys, now time.Time) (*fetch, time.Duration) {
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

// wait waits for the fetch. It reports false if that takes longer than the limit, or if the
// context ends.
func (f *fetch) wait(ctx context.Context, limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-f.done:
		return true
	case <-timer.C:
	case <-ctx.Done():
	}
	return false
}

// run runs a fetch. It doesn't depend on the request that needs it first, since others wait
// for it too.
func (k *remoteKeys) run(running *fetch) {
	ctx, cancel := context.WithTimeout(context.Background(), limits.IssuerTimeout)
	defer cancel()
	set, age, err := k.fetch(ctx)
	now := time.Now()
	if err != nil {
		k.endpoint.forget()
		k.outage.failed(now, err, true)
	} else {
		k.outage.ended()
		k.replace(set, age, now)
	}
	k.mu.Lock()
	k.running = nil
	k.mu.Unlock()
	close(running.done)
}

// fetch fetches the keys. It also returns how long they may be used.
func (k *remoteKeys) fetch(ctx context.Context) (jose.KeySet, time.Duration, error) {
	address, err := k.endpoint.url(ctx)
	if err != nil {
		return jose.KeySet{}, 0, err
	}
	answer, err := k.endpoint.fetcher.get(ctx, address)
	if err != nil {
		return jose.KeySet{}, 0, fmt.Errorf("fetching its keys: %w", err)
	}
	if answer.status != http.StatusOK {
		return jose.KeySet{}, 0, fmt.Errorf("fetching its keys: %s answers with the status %d; check the URL in the issuer's metadata or Issuer.JWKS", address, answer.status)
	}
	set, err := jose.ParseKeySet(answer.body)
	if err != nil {
		return jose.KeySet{}, 0, fmt.Errorf("fetching its keys from %s: %w", address, err)
	}
	return set, maxAge(answer.header), nil
}

// replace puts new keys in the place of the current ones.
func (k *remoteKeys) replace(set jose.KeySet, age time.Duration, now time.Time) {
	keys := &fetchedKeys{set: set, refresh: now.Add(age), end: now.Add(limits.StaleKeys)}
	if old := k.current.Load(); old != nil {
		keys.generation = old.generation
		if !set.Includes(old.set) {
			keys.generation++
		}
	}
	if set.Len() == 0 {
		k.outage.log().Warn("the issuer publishes no key that can verify access tokens, so all are refused", "issuer", k.outage.issuer, "skipped", set.Skipped())
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
