package tokens

import "testing"

func TestOnlySomeTokensAreRememberedAsLive(t *testing.T) {
	t.Parallel()
	cache := liveCache[int, int]{}
	for n := range 10_100 {
		if _, err := cache.get(n, liveTime, func() (int, error) { return n, nil }); err != nil {
			t.Fatal(err)
		}
	}
	if len(cache.entries) > 10_000 {
		t.Errorf("%d are remembered", len(cache.entries))
	}
}
