package interop_test

import (
	"context"
	"os"
	"syscall"
	"testing"
	"time"
)

// restarts is how often TestRestarts restarts the app by each of two signals.
const restarts = 10

// TestRestarts restarts the app while clients of the newest version with sessions are
// connected. They call on in the sessions that they have.
func TestRestarts(t *testing.T) {
	t.Parallel()
	requireNode(t, "@modelcontextprotocol/sdk")
	for name, connect := range map[string]func(context.Context, target) (client, error){
		"go-sdk": func(ctx context.Context, to target) (client, error) { return connectGoSDK(ctx, to, newestLegacy) },
		"typescript-v1": func(ctx context.Context, to target) (client, error) {
			return connectNode(ctx, "v1.mjs", "", to)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for signal, what := range map[os.Signal]string{syscall.SIGKILL: "kill", syscall.SIGTERM: "stop"} {
				t.Run(what, func(t *testing.T) {
					t.Parallel()
					testRestarts(t, signal, connect)
				})
			}
		})
	}
}

func testRestarts(t *testing.T, signal os.Signal, connect func(context.Context, target) (client, error)) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	app := start(t, ".", "APP_KEY=0123456789abcdef0123456789abcdef")
	line := lineTo(t, app.addr, "")
	c, err := connect(ctx, target{URL: "http://" + line.addr + "/mcp/demo"})
	if err != nil {
		t.Fatal(err)
	}
	if c.Version() != newestLegacy {
		t.Fatalf("the client speaks %s", c.Version())
	}
	for line.streams.Load() == 0 { // a client that gets no answer to its first GET never listens
		if ctx.Err() != nil {
			t.Fatal("the client doesn't listen")
		}
		time.Sleep(20 * time.Millisecond)
	}
	for i := range restarts {
		if err := app.restart(signal); err != nil {
			t.Fatal(err)
		}
		result, err := c.CallTool(ctx, toolCall{Name: "chat-streaming", Arguments: map[string]any{"message": "hello"}})
		if err != nil || result.IsError || len(result.Texts) == 0 {
			t.Fatalf("after restart %d of %d, a call gets %+v, %v", i+1, restarts, result, err)
		}
		if !listensAgain(ctx, c, i+1) {
			t.Fatalf("after restart %d of %d, the client has not come back to listen, so it doesn't learn that the tools may have changed", i+1, restarts)
		}
	}
	if n := line.handshakes.Load(); n != 1 {
		t.Errorf("the client has sent initialize %d times", n)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// listensAgain waits until the client has been notified that the tools may have changed, once
// after each restart.
func listensAgain(ctx context.Context, c client, restarts int) bool {
	for ; ctx.Err() == nil; time.Sleep(20 * time.Millisecond) {
		notified := 0
		for _, n := range c.Notifications() {
			if n.Method == "notifications/tools/list_changed" {
				notified++
			}
		}
		if notified >= restarts {
			return true
		}
	}
	return false
}
