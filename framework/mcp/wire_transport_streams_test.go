package mcp_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/internal/json/codec"
)

func TestATransportCarriesStreams(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		room := &newsroom{}
		c := carry(t, mcp.Config{}, room, newCarrier())
		synctest.Wait()
		if got := c.ask(t, listenMessage(`1`, `{"toolsListChanged":true}`)); got != acknowledged(`1`, `{"toolsListChanged":true}`) {
			t.Errorf("the stream begins with %s", got)
		}
		must(t, room.AddTool(saying("late", "")))
		if got := c.next(t); got != listChanged(`1`, "tools") {
			t.Errorf("the stream says %s", got)
		}
		c.handlers.Close()
		if got := c.next(t); !strings.Contains(got, `"id":1,"result":`) {
			t.Errorf("the stream ends with %s", got)
		}
		if err, took := c.end(t); err != nil || took > 0 {
			t.Errorf("serving ends with %v after %v, want nil at once", err, took)
		}
	})
}

func TestATransportWithAStreamEndsThoughItsClientDoesNotRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		room, over := &newsroom{}, newCarrier()
		c := carry(t, mcp.Config{}, room, over)
		synctest.Wait()
		c.ask(t, listenMessage(`1`, `{"toolsListChanged":true}`))
		over.send = func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
		must(t, room.AddTool(saying("late", "")))
		synctest.Wait()
		c.stop()
		if _, took := c.end(t); took > 3*time.Second {
			t.Errorf("serving ends after %v, want within 3 s", took)
		}
		time.Sleep(time.Minute)
	})
}

func TestAnOlderClientIsAskedOverATransport(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := carry(t, mcp.Config{}, &booking{}, newCarrier())
		c.ask(t, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{}},"clientInfo":{"name":"c","version":"1"}}}`)
		got := c.ask(t, legacyCall(`1`, "book", `{}`))
		for _, answer := range []string{ada, `"result":{"action":"decline"}`} {
			var asked question
			if err := codec.Unmarshal([]byte(got), &asked); err != nil || asked.Method != "elicitation/create" {
				t.Fatalf("the client is asked %s, %v", got, err)
			}
			got = c.ask(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, asked.ID, answer))
		}
		if !strings.Contains(got, `"id":1,"result":`) {
			t.Errorf("the answer is %s", got)
		}
	})
}
