package auth

import (
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The path of a request is a part of the resource, and a client chooses it.
func TestACacheStoresNoResources(t *testing.T) { //nolint:paralleltest // measures the heap
	const entries, length = 1000, 64 << 10
	cache := newTokenCache(entries)
	now := time.Now()
	path := strings.Repeat("a", length)
	before := heap()
	for n := range entries {
		cache.Put(cache.key("token", path+strconv.Itoa(n)), &knownToken{}, now, now.Add(time.Hour))
	}
	if grown := int64(heap()) - int64(before); grown > entries*length/10 {
		t.Errorf("%d entries take %d bytes each", entries, grown/entries)
	}
	for n := range entries {
		if !cache.Has(cache.key("token", path+strconv.Itoa(n))) {
			t.Errorf("the token for the resource %d is forgotten", n)
		}
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
	cache.Put(cache.key("token", "resource"), &knownToken{generation: 1}, now, now.Add(time.Hour))
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
