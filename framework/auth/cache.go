package auth

import (
	"hash/maphash"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/cache"
)

// A tokenCache remembers the results of verifications. A known token of 1 100 bytes takes
// 0.2 µs and no allocation. A new one takes 40 µs with RS256, 85 µs with ES256, and a
// request to the issuer with introspection.
//
// It stores hashes of a token and of its resource, of 64 bits and with a random seed, but not
// the texts: tokens are secret, and a client chooses the path of a resource, which may be
// long. An attacker, who doesn't know the seed, can't make another text with the same hash.
type tokenCache struct {
	seed maphash.Seed
	*cache.Cache[tokenKey, *knownToken]
}

// A tokenKey identifies a token, and the resource that it was verified for, by their hashes.
// Each half of the token has its own, so that two tokens don't have the same by accident.
type tokenKey struct{ first, second, resource uint64 }

// A knownToken is the result of a verification: a principal or an error.
type knownToken struct {
	principal  exchange.Principal
	err        error
	generation uint64 // of the keys that verified it
}

func newTokenCache(limit int) *tokenCache {
	return &tokenCache{maphash.MakeSeed(), cache.New[tokenKey, *knownToken](limit)}
}

func (c *tokenCache) key(token, resource string) tokenKey {
	half := len(token) / 2
	return tokenKey{maphash.String(c.seed, token[:half]), maphash.String(c.seed, token[half:]), maphash.String(c.seed, resource)}
}

// get returns the entry of a token, or nil. Entries of another generation are not used.
func (c *tokenCache) get(key tokenKey, generation uint64, now time.Time) *knownToken {
	known, ok := c.Get(key, now)
	if !ok || known.generation != generation {
		return nil
	}
	return known
}
