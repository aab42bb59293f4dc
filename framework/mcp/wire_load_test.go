package mcp_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// sleeper is a server with a tool that runs until its call ends.
func sleeper() *toolbox {
	return boxOf(doing("sleep", func(ctx context.Context, _ *tools.Request) (tools.Result, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}), saying("hello", "Hello."))
}

// leave calls the tool sleep with a message of some bytes. The call goes on.
func (c *wireClient) leave(t *testing.T, id string, size int) <-chan int {
	t.Helper()
	status := make(chan int, 1)
	go func() { status <- c.post(t.Context(), padded(id, "sleep", size), "").Code }()
	synctest.Wait()
	return status
}

// padded is a call of some bytes.
func padded(id, tool string, size int) string {
	message := legacyCall(id, tool, `{}`)
	return message[:len(message)-1] + `,"x":"` + strings.Repeat("x", size-len(message)-7) + `"}`
}

// A call doesn't end with its connection, so that its message stays.
func TestWhatTheCallsOfASessionWereSentIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := (&wireClient{handler: wireHandler(t, mcp.Config{}, sleeper())}).open(t, "2025-11-25")
		first, second := client.leave(t, `1`, 4<<20), client.leave(t, `2`, 4<<20)
		w := client.post(t.Context(), padded(`3`, "hello", 4<<20), "")
		if w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") == "" || !strings.Contains(w.Body.String(), "8388608") {
			t.Errorf("a third large call gets %d %v %s, want 429 and the limit", w.Code, w.Header(), w.Body)
		}
		for _, message := range []string{cancelled(`1`), `{"jsonrpc":"2.0","id":1,"result":{"x":"` + strings.Repeat("x", 1<<20) + `"}}`} {
			if w := client.post(t.Context(), message, ""); w.Code != http.StatusAccepted {
				t.Errorf("what runs nothing gets %d %s", w.Code, w.Body)
			}
		}
		if code := <-first; code != http.StatusAccepted {
			t.Errorf("the cancelled call gets %d", code)
		}
		if w := client.post(t.Context(), padded(`3`, "hello", 4<<20), ""); w.Code != http.StatusOK {
			t.Errorf("when one has ended, the next gets %d %s", w.Code, w.Body)
		}
		client.post(t.Context(), cancelled(`2`), "")
		<-second
	})
}

func TestOneLargeCallOfAnIdleSessionRuns(t *testing.T) {
	t.Parallel()
	client := (&wireClient{handler: wireHandler(t, mcp.Config{MaxBody: 80 << 20}, sleeper())}).open(t, "2025-11-25")
	if w := client.post(t.Context(), padded(`1`, "hello", 80<<20), ""); w.Code != http.StatusOK {
		t.Errorf("a call as large as a body may be gets %d %.200s", w.Code, w.Body)
	}
}

func TestABatchIsBoundedIfItCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := (&wireClient{handler: wireHandler(t, mcp.Config{MaxBody: 8 << 10}, sleeper())}).open(t, "2025-03-26")
		first, second := client.leave(t, `1`, 8<<10), client.leave(t, `2`, 8<<10)
		if w := client.post(t.Context(), "["+legacyCall(`3`, "hello", `{}`)+"]", ""); w.Code != http.StatusTooManyRequests {
			t.Errorf("a batch with a call gets %d %s, want 429", w.Code, w.Body)
		}
		answers := `[{"jsonrpc":"2.0","id":1,"result":{}},` + cancelled(`1`) + `,` + cancelled(`2`) + `]`
		if w := client.post(t.Context(), answers, ""); w.Code != http.StatusAccepted {
			t.Errorf("a batch without a call gets %d %s", w.Code, w.Body)
		}
		<-first
		<-second
	})
}

// Clients that leave large calls behind don't keep others from small ones.
func TestWhatTheCallsOfAllSessionsWereSentIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		stranger := &wireClient{handler: wireHandler(t, mcp.Config{}, sleeper())}
		var sessions []*wireClient
		var left []<-chan int
		for range 8 {
			client := stranger.open(t, "2025-11-25")
			sessions = append(sessions, client)
			left = append(left, client.leave(t, `1`, 4<<20), client.leave(t, `2`, 4<<20))
		}
		last := stranger.open(t, "2025-11-25")
		w := last.post(t.Context(), padded(`1`, "hello", 1<<20), "")
		if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" || !strings.Contains(w.Body.String(), "67108864") {
			t.Errorf("a large call of another session gets %d %v %s, want 503 and the limit", w.Code, w.Header(), w.Body)
		}
		if w := last.post(t.Context(), padded(`1`, "hello", 10<<10), ""); w.Code != http.StatusOK {
			t.Errorf("a small call of another session gets %d %s", w.Code, w.Body)
		}
		for _, client := range sessions {
			client.post(t.Context(), cancelled(`1`), "")
			client.post(t.Context(), cancelled(`2`), "")
		}
		for _, status := range left {
			<-status
		}
		if w := last.post(t.Context(), padded(`1`, "hello", 1<<20), ""); w.Code != http.StatusOK {
			t.Errorf("when the others have ended, it gets %d %s", w.Code, w.Body)
		}
	})
}
