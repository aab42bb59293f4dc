package exchange

import "time"

// A CacheHint tells clients and shared caches how long they may reuse a result (specification:
// Caching). The zero value forbids reuse. Clients of versions before 2026-07-28 get no hints.
type CacheHint struct {
	// TTL is how long a result may be reused: a millisecond or more, or 0 for not at all.
	// Clients get it in whole milliseconds (ttlMs).
	TTL time.Duration

	// Public allows caches to give a result to other clients too (cacheScope public). Without
	// it, only clients with the same access may share a result (private). A result is sent as
	// public only to a request that has neither a principal nor a header Authorization, and
	// never if VisibleTo or a guardrails.Permission hides parts of it from some clients.
	Public bool
}
