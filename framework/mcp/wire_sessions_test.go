package mcp_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/mcp"
)

// A session is in use as long as a call runs, however long that takes.
func TestACallKeepsItsSession(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := newWireServer()
		config := mcp.Config{CallTimeout: 3 * time.Hour, SessionIdle: time.Minute}
		client := (&wireClient{handler: wireHandler(t, config, server)}).open(t, "2025-11-25")
		answer := client.start(t.Context(), `1`, "wait")
		time.Sleep(time.Hour)
		if w := client.post(t.Context(), cancelled(`1`), ""); w.Code != http.StatusAccepted {
			t.Errorf("the session is gone: %d", w.Code)
		}
		<-answer
		time.Sleep(time.Minute)
		if w := client.call(t.Context(), `2`, "echo", `{"message":"a"}`); w.Code != http.StatusNotFound {
			t.Errorf("an idle session gets %d, want 404", w.Code)
		}
	})
}

func TestTenThousandSessionsAreTheLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := &wireClient{handler: wireHandler(t, mcp.Config{}, newWireServer())}
		for range 10_000 {
			client.open(t, "2025-11-25")
		}
		if w := client.post(t.Context(), initialize("2025-11-25"), ""); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
			t.Errorf("one more gets %d %v, want 503 and when to try again", w.Code, w.Header())
		}
		time.Sleep(30 * time.Minute)
		client.open(t, "2025-11-25")
	})
}
