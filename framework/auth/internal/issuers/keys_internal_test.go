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
		ended, _ := keys.start(seen, time.Now())
		if ended == nil || keys.running != nil {
			t.Fatal("a fetch was started")
		}
		if !ended.Wait(t.Context(), time.Minute) {
			t.Error("a request waits for it")
		}
	}
}
