package mcp_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/internal/test/gatetest"
)

// Clients connect, disconnect, resume one stream on two connections at once, and end
// their sessions, while calls stream and lists change. Each client gets only its own
// messages.
func TestStreamsRaceWithTheirClients(t *testing.T) {
	t.Parallel()
	paper := leaky()
	web := httptest.NewServer(wireHandler(t, mcp.Config{CallTimeout: 50 * time.Millisecond}, paper))
	defer web.Close()
	var workers, changes sync.WaitGroup
	stop := make(chan struct{})
	changes.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
				_ = paper.AddTool(saying("late", ""))
				paper.RemoveTool("late")
			}
		}
	})
	for range 8 {
		workers.Go(func() {
			for i := range gatetest.Rounds(8, 20) {
				raceStreams(t, converse(t, web.URL+"/mcp", "2025-11-25", `{}`), i)
			}
		})
	}
	workers.Wait()
	close(stop)
	changes.Wait()
}

// raceStreams opens streams of one session and ends them concurrently.
func raceStreams(t *testing.T, c *conversation, i int) {
	var all sync.WaitGroup
	get := func(last string, patience time.Duration) {
		all.Go(func() {
			ctx, hangUp := context.WithTimeout(t.Context(), patience)
			defer hangUp()
			for _, e := range c.reading(ctx, http.MethodGet, "", last) {
				if e.id != "" && last != "" && !strings.HasPrefix(e.id, last[:26]) {
					t.Errorf("after %s, got %s", last, e.id)
				}
			}
		})
	}
	get("", 5*time.Millisecond)
	get("", 20*time.Millisecond)
	id := fmt.Sprint(i)
	ctx, hangUp := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer hangUp()
	if events := c.reading(ctx, http.MethodPost, legacyCall(id, "waits", `{}`), ""); len(events) > 0 {
		for range 3 {
			get(events[0].id, 30*time.Millisecond)
		}
	}
	if i%2 == 0 {
		time.Sleep(time.Duration(i) * time.Millisecond)
		c.reading(t.Context(), http.MethodDelete, "", "")
	}
	all.Wait()
}

// reading sends a request and reads the events of the answer, until the context ends.
func (c *conversation) reading(ctx context.Context, method, body, last string) []event {
	r, err := http.NewRequestWithContext(ctx, method, c.url, strings.NewReader(body))
	if err != nil {
		return nil
	}
	r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Mcp-Session-Id": {c.session}}
	if last != "" {
		r.Header.Set("Last-Event-ID", last)
	}
	w, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil
	}
	defer func() { _ = w.Body.Close() }()
	text, _ := io.ReadAll(w.Body)
	return readEvents(string(text))
}
