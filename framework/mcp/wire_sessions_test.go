package mcp_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/mcp"
)

// A session is in use as long as one of its calls runs.
func TestACallKeepsItsSession(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := newWireServer()
		config := mcp.Config{CallTimeout: 3 * time.Hour, SessionIdle: time.Minute}
		client := (&wireClient{handler: wireHandler(t, config, server)}).open(t, "2025-11-25")
		answer := client.start(t.Context(), `1`, "wait")
		time.Sleep(time.Hour)
		if w := client.post(t.Context(), cancelled(`1`), ""); w.Code != http.StatusAccepted {
			t.Errorf("the session has ended: %d", w.Code)
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
		client := &wireClient{handler: wireHandler(t, mcp.Config{ClientSessions: 20_000}, newWireServer())}
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

// A client that begins sessions and doesn't use them blocks others for only a minute.
func TestAnUnusedSessionSoonEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := &wireClient{handler: wireHandler(t, mcp.Config{Sessions: 100, ClientSessions: 200}, newWireServer())}
		for range 100 {
			if w := client.post(t.Context(), initialize("2025-11-25"), ""); w.Code != http.StatusOK {
				t.Fatalf("a session is not begun: %d %s", w.Code, w.Body)
			}
		}
		if w := client.post(t.Context(), initialize("2025-11-25"), ""); w.Code != http.StatusServiceUnavailable {
			t.Errorf("one more gets %d, want 503", w.Code)
		}
		time.Sleep(time.Minute)
		if w := client.post(t.Context(), initialize("2025-11-25"), ""); w.Code != http.StatusOK {
			t.Errorf("a minute later it gets %d %s", w.Code, w.Body)
		}
	})
}

// A session stores its client's description, so the size of that is limited.
func TestALongInitializeIsRefused(t *testing.T) {
	t.Parallel()
	client := &wireClient{handler: wireHandler(t, mcp.Config{}, newWireServer())}
	for _, member := range []string{"clientInfo", "capabilities"} {
		message := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","` + member + `":{"a":"` + strings.Repeat("x", 16<<10) + `"}}}`
		got := readAnswer(t, client.post(t.Context(), message, "").Body.String())
		if got.Error == nil || got.Error.Code != -32602 || !strings.Contains(got.Error.Message, "16384 bytes") {
			t.Errorf("a long %s gets %+v, want the limit", member, got)
		}
	}
}
