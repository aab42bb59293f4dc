// Package cache keeps values that are found with some effort, each until a time and at most so
// many.
package cache

import (
	"sync"
	"time"
)

// sweepPause is the least time between two searches of a full cache for values that have ended.
const sweepPause = 10 * time.Second

// A Cache keeps values by keys. It is safe for concurrent use.
type Cache[K comparable, V any] struct {
	limit int

	mu      sync.RWMutex
	entries map[K]entry[V]
	swept   time.Time
}

type entry[V any] struct {
	value V
	until time.Time
}

// New returns a cache of at most limit values.
func New[K comparable, V any](limit int) *Cache[K, V] {
	return &Cache[K, V]{limit: limit, entries: map[K]entry[V]{}}
}

// Get returns the value of a key, unless there is none or its time has ended.
func (c *Cache[K, V]) Get(key K, now time.Time) (value V, ok bool) {
	c.mu.RLock()
	found := c.entries[key]
	c.mu.RUnlock()
	if !now.Before(found.until) {
		return value, false
	}
	return found.value, true
}

// Has reports whether a value is kept, even one whose time has ended.
func (c *Cache[K, V]) Has(key K) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	_, ok := c.entries[key]
	return ok
}

// Put keeps a value until a time. A full cache forgets the values whose time has ended, or else
// an arbitrary one.
func (c *Cache[K, V]) Put(key K, value V, now, until time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, replaces := c.entries[key]; !replaces && len(c.entries) >= c.limit {
		c.makeRoom(now)
	}
	c.entries[key] = entry[V]{value, until}
}

// makeRoom forgets at least one value. The caller holds the lock.
func (c *Cache[K, V]) makeRoom(now time.Time) {
	if now.Sub(c.swept) >= sweepPause {
		c.swept = now
		for key, kept := range c.entries {
			if !now.Before(kept.until) {
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

// Find returns the value of a key. If there is none, it calls find, and keeps what that returns
// for a lifetime, but no error.
func (c *Cache[K, V]) Find(key K, lifetime time.Duration, find func() (V, error)) (V, error) {
	now := time.Now()
	if value, ok := c.Get(key, now); ok {
		return value, nil
	}
	value, err := find()
	if err == nil {
		c.Put(key, value, now, now.Add(lifetime))
	}
	return value, err
}
