package legacy_test

import (
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/internal/engine/legacy"
	"github.com/bowline-mcp/bowline/internal/engine/transport/transporttest"
	"github.com/bowline-mcp/bowline/internal/limits"
)

func isEnded(t *testing.T, m *legacy.EndedMemory, id string) bool {
	t.Helper()
	_, err := m.Load(t.Context(), legacy.Sealed{ID: id, Revived: true})
	if err != nil && !errors.Is(err, legacy.ErrEnded) {
		t.Error(err)
	}
	return err != nil
}

func end(t *testing.T, m *legacy.EndedMemory, id string, expires time.Duration) {
	t.Helper()
	if err := m.End(t.Context(), legacy.Sealed{ID: id, Expires: time.Now().Add(expires), Revived: true}); err != nil {
		t.Error(err)
	}
}

func TestAnEndedSessionIsRemembered(t *testing.T) {
	t.Parallel()
	m := &legacy.EndedMemory{}
	end(t, m, "a", time.Hour)
	if !isEnded(t, m, "a") || isEnded(t, m, "b") {
		t.Error("another session than a has ended")
	}
}

// A memory that can't say which sessions have ended says that all have.
func TestAFullMemoryOfEndedSessionsRefusesAll(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		m := &legacy.EndedMemory{}
		for i := range limits.EndedSessions {
			end(t, m, strconv.Itoa(i), time.Duration(1+i%2)*time.Hour)
		}
		if isEnded(t, m, "other") {
			t.Error("a full memory lacks no session, but reports one that hasn't ended")
		}
		end(t, m, "one more", 90*time.Minute)
		end(t, m, "and one", 30*time.Minute)
		time.Sleep(time.Hour)
		end(t, m, "recorded", time.Hour) // half of the others have expired
		for id, want := range map[string]bool{"recorded": true, "1": true, "other": true} {
			if isEnded(t, m, id) != want {
				t.Errorf("while sessions are not recorded, %s has ended: %t, want %t", id, !want, want)
			}
		}
		time.Sleep(30 * time.Minute)
		for id, want := range map[string]bool{"recorded": true, "1": true, "0": false, "other": false, "one more": false} {
			if isEnded(t, m, id) != want {
				t.Errorf("after they have expired, %s has ended: %t, want %t", id, !want, want)
			}
		}
	})
}
