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

// A client doesn't notice that the program was restarted, nor that another process answers.
func TestASessionSurvivesARestart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		config := mcp.Config{Name: "notes", Key: []string{strings.Repeat("k", 32)}, SessionLife: time.Hour}
		client := (&wireClient{handler: wireHandler(t, config, newWireServer())}).open(t, "2025-11-25")
		after := func(config mcp.Config) int {
			client.handler = wireHandler(t, config, newWireServer())
			return client.call(t.Context(), `1`, "echo", `{"message":"a"}`).Code
		}
		if status := after(config); status != http.StatusOK {
			t.Errorf("after a restart, a call gets %d", status)
		}
		rotated, renamed, keyless := config, config, config
		rotated.Key = []string{strings.Repeat("n", 32), config.Key[0]}
		renamed.Name, keyless.Key = "tasks", nil
		if status := after(rotated); status != http.StatusOK {
			t.Errorf("with a new key before the old one, a call gets %d", status)
		}
		for what, config := range map[string]mcp.Config{"another app": renamed, "an app without a key": keyless} {
			if status := after(config); status != http.StatusNotFound {
				t.Errorf("at %s, a call gets %d", what, status)
			}
		}
		time.Sleep(time.Hour)
		if status := after(config); status != http.StatusNotFound {
			t.Errorf("after its life, a call gets %d", status)
		}
	})
}
