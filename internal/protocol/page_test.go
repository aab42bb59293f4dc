package protocol

import "testing"

func TestThePagesThatAreKeptAreBounded(t *testing.T) {
	t.Parallel()
	kept, encoded := &pages{}, 0
	ask := func(after uint64) {
		kept.page(pageKey{after: after}, func(b []byte) []byte { encoded++; return append(b, '1') })
	}
	for i := range uint64(10 * maxPages) { // as clients may that ask for pages of every size
		ask(i)
		kept.handOut(string(rune(i)), place{after: i})
		if n := len(kept.byKey); n > maxPages {
			t.Fatalf("after %d pages, %d are kept", i+1, n)
		}
		if n := len(kept.cursors); n > maxPages {
			t.Fatalf("after %d cursors, %d are known", i+1, n)
		}
	}
	encoded = 0
	for range 100 {
		ask(1)
		ask(2)
	}
	if encoded != 2 {
		t.Errorf("two pages that are asked for in turn are encoded %d times", encoded)
	}
}
