package auth

import (
	"hash/maphash"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
)

// A tokenCache remembers the results of verifications. A known token of 1 100 bytes takes
// 0.2 µs and no allocation. A new one takes 40 µs with RS256, 85 µs with ES256, and a
// request to the issuer with introspection. The cache is safe for concurrent use.
//
// It stores hashes of a token and of its resource, of 64 bits and with a random seed, but not
// the texts: tokens are secret, and a client chooses the path of a resource, which may be
// long. An attacker, who doesn't know the seed, can't make another text with the same hash.
type tokenCache struct {
	limit int
	seed  maphash.Seed

	mu      sync.RWMutex
	entries map[tokenKey]*knownToken
	swept   time.Time
}

// A tokenKey identifies a token, and the resource that it was verified for, by their hashes.
// Each half of the token has its own, so that two tokens don't have the same by accident.
type tokenKey struct{ first, second, resource uint64 }

// A knownToken is the result of a verification: a principal or an error.
type knownToken struct {
	principal  exchange.Principal
	err        error
	until      time.Time
	generation uint64 // of the keys that verified it
}

// sweepPause is the least time between two searches of a full cache for expired entries.
const sweepPause = 10 * time.Second

func newTokenCache(limit int) *tokenCache {
	return &tokenCache{limit: limit, seed: maphash.MakeSeed(), entries: map[tokenKey]*knownToken{}}
}

func (c *tokenCache) key(token, resource string) tokenKey {
	half := len(token) / 2
	return tokenKey{maphash.String(c.seed, token[:half]), maphash.String(c.seed, token[half:]), maphash.String(c.seed, resource)}
}

// get returns the entry of a token, or nil. Entries of another generation are not used.
func (c *tokenCache) get(key tokenKey, generation uint64, now time.Time) *knownToken {
	c.mu.RLock()
	known := c.entries[key]
	c.mu.RUnlock()
	if known == nil || known.generation != generation || !now.Before(known.until) {
		return nil
	}
	return known
}

// has reports whether a token has an entry, even one that must not be used any more.
func (c *tokenCache) has(key tokenKey) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.entries[key] != nil
}

// put adds an entry. If the cache is full, it removes expired entries, or else an arbitrary
// one.
func (c *tokenCache) put(key tokenKey, known *knownToken, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, replaces := c.entries[key]; !replaces && len(c.entries) >= c.limit {
		c.makeRoom(now)
	}
	c.entries[key] = known
}

// makeRoom removes at least one entry. The caller holds the lock.
func (c *tokenCache) makeRoom(now time.Time) {
	if now.Sub(c.swept) >= sweepPause {
		c.swept = now
		for key, known := range c.entries {
			if !now.Before(known.until) {
				delete(c.entries, key)
			}
		}
	}
	for key := range c.entries {
		if len(c.entries) < c.limit {
			return
		}
		delete(c.entries, key)
	}
}
