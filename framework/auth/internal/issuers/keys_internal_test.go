package issuers

import (
	"testing"
	"time"
)

func TestKeysThatHaveJustComeAreNotFetchedAgain(t *testing.T) {
	t.Parallel()
	keys := &Keys{}
	old := &Fetched{}
	for _, seen := range []*Fetched{nil, old} {
		keys.current.Store(&Fetched{})
		wait, ended := Await(t.Context(), keys.start(seen, time.Now(), true), time.Minute) // a fetch would panic
		if !ended || wait != time.Duration(0) || !keys.nextUnknown.IsZero() {
			t.Errorf("a request waits: %v, %t", wait, ended)
		}
	}
}
