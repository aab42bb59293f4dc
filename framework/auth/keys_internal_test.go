package auth

import (
	"testing"
	"time"
)

func TestKeysThatHaveJustComeAreNotFetchedAgain(t *testing.T) {
	t.Parallel()
	keys := &remoteKeys{}
	old := &fetchedKeys{}
	for _, seen := range []*fetchedKeys{nil, old} {
		keys.current.Store(&fetchedKeys{})
		ended, _ := keys.start(seen, time.Now())
		if ended == nil || keys.running != nil {
			t.Fatal("a fetch was started")
		}
		if !ended.wait(t.Context(), time.Minute) {
			t.Error("a request waits for it")
		}
	}
}
