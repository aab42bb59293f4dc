package mcp_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// A phone that loses its network in the middle of a replay comes back at once.
func TestAReplayThatNobodyReadsGivesWay(t *testing.T) {
	t.Parallel()
	paper := newNewspaper()
	web := httptest.NewUnstartedServer(wireHandler(t, mcp.Config{}, paper))
	web.Config.ConnState = func(conn net.Conn, state http.ConnState) {
		if tcp, ok := conn.(*net.TCPConn); ok && state == http.StateNew {
			_ = tcp.SetWriteBuffer(64 << 10)
		}
	}
	web.Start()
	t.Cleanup(web.Close)
	t.Cleanup(web.CloseClientConnections)
	c := converse(t, web.URL+"/mcp", "2025-11-25", `{}`)
	go func() { paper.speak <- "one" }()
	w := c.send(web.Client(), http.MethodPost, legacyCall(`1`, "talk", `{}`), "")
	id := ""
	for lines := bufio.NewScanner(w.Body); lines.Scan() && !strings.Contains(lines.Text(), `"one"`); {
		if found, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
			id = found
		}
	}
	_ = w.Body.Close()
	paper.speak <- strings.Repeat("y", 3800<<10)
	paper.speak <- "three" // so that the one before is kept

	stuck, err := net.Dial("tcp", web.Listener.Addr().String())
	must(t, err)
	t.Cleanup(func() { _ = stuck.Close() })
	must(t, stuck.(*net.TCPConn).SetReadBuffer(8<<10))
	write(t, stuck, fmt.Sprintf("GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\nMcp-Session-Id: %s\r\nLast-Event-ID: %s\r\n\r\n", c.session, id))
	time.Sleep(200 * time.Millisecond) // until the replay is stuck
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url, nil)
	must(t, err)
	r.Header = http.Header{"Accept": {"text/event-stream"}, "Mcp-Session-Id": {c.session}, "Last-Event-Id": {id}}
	again, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatalf("the second connection gets nothing: %v", err)
	}
	t.Cleanup(func() { _ = again.Body.Close() })
	if line, err := bufio.NewReader(again.Body).ReadString('\n'); err != nil || !strings.HasPrefix(line, "id: ") {
		t.Errorf("the second connection gets %q, %v", line, err)
	}
	close(paper.speak)
}

func TestAnAnswerTooLargeToBeKeptIsGoneForWhoComesBack(t *testing.T) {
	withNewspaper(t, "2025-11-25", func(t *testing.T, paper *newspaper, client *wireClient) {
		release := make(chan struct{})
		must(t, paper.AddTool(doing("huge", func(_ context.Context, request *tools.Request) (tools.Result, error) {
			err := request.Notify("acme/begun", nil)
			<-release
			return tools.Text(strings.Repeat("x", 5<<20)), err
		})))
		answer := client.follow(t, `1`, "huge")
		events := answer.events()
		answer.hangUp()
		synctest.Wait()
		close(release)
		synctest.Wait()
		back := client.get(t, events[len(events)-1].id)
		text := ""
		for _, e := range back.events() {
			text += e.data
		}
		if !strings.Contains(text, `"id":1,"error":{"code":-32603,"message":"The answer is gone`) {
			t.Errorf("who comes back gets %.200s", text)
		}
	})
}

func TestASessionRunsSoManyRequestsAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := newWireServer()
		client := (&wireClient{handler: wireHandler(t, mcp.Config{}, server)}).open(t, "2025-06-18")
		for i := range 256 {
			client.start(t.Context(), fmt.Sprint(i), "wait")
		}
		if w := client.call(t.Context(), `"more"`, "echo", `{"message":"a"}`); w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") == "" {
			t.Errorf("one more gets %d %s", w.Code, w.Body)
		}
		for i := range 256 { // which are no requests
			client.post(t.Context(), cancelled(fmt.Sprint(i)), "")
		}
		synctest.Wait()
		if w := client.call(t.Context(), `"more"`, "echo", `{"message":"a"}`); w.Code != http.StatusOK {
			t.Errorf("when they have ended, one more gets %d %s", w.Code, w.Body)
		}
	})
}

func TestAVersionThatIsNotSpokenEndsNoSession(t *testing.T) {
	withNewspaper(t, "2025-11-25", func(t *testing.T, _ *newspaper, client *wireClient) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodDelete, "http://127.0.0.1/mcp", nil)
		r.Header = http.Header{"Mcp-Session-Id": {client.session}, "Mcp-Protocol-Version": {"1999-01-01"}}
		w := httptest.NewRecorder()
		client.handler.ServeHTTP(w, r)
		if w.Code != http.StatusBadRequest {
			t.Errorf("got %d %s, want 400", w.Code, w.Body)
		}
		if w := client.post(t.Context(), `{"jsonrpc":"2.0","id":1,"method":"ping"}`, ""); w.Code != http.StatusOK {
			t.Errorf("the session is gone: %d %s", w.Code, w.Body)
		}
	})
}
