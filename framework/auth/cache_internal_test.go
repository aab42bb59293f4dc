package auth

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestAFullCacheForgetsExpiredTokensFirst(t *testing.T) {
	t.Parallel()
	cache := newTokenCache(100)
	now := time.Now()
	for n := range 100 {
		until := now.Add(time.Hour)
		if n%2 == 0 {
			until = now.Add(time.Minute)
		}
		cache.put(cache.key(fmt.Sprint("token", n), "resource"), &knownToken{until: until}, now)
	}
	now = now.Add(2 * time.Minute)
	for n := range 50 {
		cache.put(cache.key(fmt.Sprint("new", n), "resource"), &knownToken{until: now.Add(time.Hour)}, now)
	}
	for n := range 50 {
		if cache.get(cache.key(fmt.Sprint("token", 2*n+1), "resource"), 0, now) == nil || cache.get(cache.key(fmt.Sprint("new", n), "resource"), 0, now) == nil {
			t.Fatalf("valid token %d was forgotten, although others had expired", n)
		}
	}
}

func TestACacheIsBounded(t *testing.T) {
	t.Parallel()
	cache := newTokenCache(100)
	now := time.Now()
	for n := range 1000 {
		key := cache.key(fmt.Sprint("token", n), "resource")
		cache.put(key, &knownToken{until: now.Add(time.Hour)}, now)
		cache.put(key, &knownToken{until: now.Add(time.Hour)}, now)
		if cache.get(key, 0, now) == nil {
			t.Fatalf("the newest token %d was forgotten", n)
		}
		if n > 98 && len(cache.entries) != 100 {
			t.Fatalf("%d entries after %d tokens, want 100", len(cache.entries), n+1)
		}
	}
}

// The path of a request is a part of the resource, and a client chooses it.
func TestACacheStoresNoResources(t *testing.T) { //nolint:paralleltest // measures the heap
	const entries, length = 1000, 64 << 10
	cache := newTokenCache(entries)
	now := time.Now()
	path := strings.Repeat("a", length)
	before := heap()
	for n := range entries {
		cache.put(cache.key("token", path+strconv.Itoa(n)), &knownToken{until: now.Add(time.Hour)}, now)
	}
	if grown := int64(heap()) - int64(before); grown > entries*length/10 {
		t.Errorf("%d entries take %d bytes each", entries, grown/entries)
	}
	if len(cache.entries) != entries {
		t.Errorf("the cache has %d entries", len(cache.entries))
	}
}

func heap() uint64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

func TestAKnownTokenIsFoundByAllOfIt(t *testing.T) {
	t.Parallel()
	cache := newTokenCache(100)
	now := time.Now()
	cache.put(cache.key("token", "resource"), &knownToken{until: now.Add(time.Hour), generation: 1}, now)
	if cache.get(cache.key("token", "resource"), 1, now) == nil {
		t.Fatal("the token is not found")
	}
	for name, got := range map[string]*knownToken{
		"another token":      cache.get(cache.key("token2", "resource"), 1, now),
		"another resource":   cache.get(cache.key("token", "resource2"), 1, now),
		"a moved border":     cache.get(cache.key("tokenr", "esource"), 1, now),
		"another generation": cache.get(cache.key("token", "resource"), 2, now),
		"an expired token":   cache.get(cache.key("token", "resource"), 1, now.Add(time.Hour)),
		"another cache":      cache.get(newTokenCache(1).key("token", "resource"), 1, now),
	} {
		if got != nil {
			t.Errorf("%s is found", name)
		}
	}
}
