package mcp_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/internal/eventstream"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// send sends a request of the conversation's session.
func (c *conversation) send(client *http.Client, method, body, last string) *http.Response {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), method, c.url, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Mcp-Session-Id": {c.session}}
	if last != "" {
		r.Header.Set("Last-Event-ID", last)
	}
	w, err := client.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { _ = w.Body.Close() })
	return w
}

// idOf returns the id of the next event whose data contain a text.
func idOf(t *testing.T, stream io.Reader, text string) string {
	t.Helper()
	for in := eventstream.NewReader(stream, 1<<20); ; {
		read, _, err := in.Next()
		must(t, err)
		if e := eventOf(read); strings.Contains(e.data, text) {
			return e.id
		}
	}
}

// whole reads an answer to its end.
func whole(t *testing.T, w *http.Response) []event {
	t.Helper()
	body, err := io.ReadAll(w.Body)
	if err != nil {
		t.Errorf("the stream breaks off: %v, after %s", err, body)
	}
	return readEvents(string(body))
}

func TestAHandlerClosesItsConnection(t *testing.T) {
	t.Parallel()
	paper := newNewspaper()
	web := httptest.NewServer(wireHandler(t, mcp.Config{}, paper))
	defer web.Close()
	c := converse(t, web.URL+"/mcp", "2025-11-25", `{}`)
	for range 3 { // a connection that was closed is not used again
		events := whole(t, c.send(web.Client(), http.MethodPost, legacyCall(`1`, "leave", `{}`), ""))
		if len(events) != 2 || events[0].id == "" || events[0].data != "" || events[1] != (event{name: "message", retry: 1500 * time.Millisecond}) {
			t.Fatalf("the answer is %+v, want an id and when to come back", events)
		}
		back := c.send(web.Client(), http.MethodGet, "", events[0].id)
		paper.speak <- ""
		if events := whole(t, back); len(events) != 3 || gist(events[1].data) != "while you were away" || gist(events[2].data) != "Welcome back." {
			t.Errorf("the client that reconnects gets %+v", events)
		}
	}
}

// A proxy may use HTTP/1.0, where the end of the connection is the end of the answer.
func TestAHandlerClosesItsConnectionToAnOldProxy(t *testing.T) {
	t.Parallel()
	paper := newNewspaper()
	p := startProgram(t, mcp.Config{}, paper)
	c := converse(t, "http://"+p.addr+"/mcp", "2025-11-25", `{}`)
	conn, call := p.dial(t), legacyCall(`1`, "leave", `{}`)
	write(t, conn, fmt.Sprintf("POST /mcp HTTP/1.0\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nMcp-Session-Id: %s\r\nContent-Length: %d\r\n\r\n%s", c.session, len(call), call))
	if _, body := read(t, conn); !strings.HasSuffix(body, "retry: 1500\n\n") {
		t.Errorf("the answer is %q", body)
	}
	paper.speak <- ""
}

// Over HTTP/2 a request can't end before its handler, so the client gets the answer on
// the same stream.
func TestAHandlerClosesNothingOverHTTP2(t *testing.T) {
	t.Parallel()
	paper := newNewspaper()
	web := httptest.NewUnstartedServer(wireHandler(t, mcp.Config{}, paper))
	web.EnableHTTP2 = true
	web.StartTLS()
	defer web.Close()
	c := &conversation{t: t, url: web.URL + "/mcp"}
	c.session = c.send(web.Client(), http.MethodPost, initialize("2025-11-25"), "").Header.Get("Mcp-Session-Id")
	w := c.send(web.Client(), http.MethodPost, legacyCall(`1`, "leave", `{}`), "")
	go func() { paper.speak <- "" }()
	if events := whole(t, w); w.ProtoMajor != 2 || len(events) != 4 || gist(events[3].data) != "Welcome back." {
		t.Errorf("over %s the answer is %+v", w.Proto, events)
	}
}

func TestABrokenConnectionIsResumed(t *testing.T) {
	t.Parallel()
	paper := newNewspaper()
	p := startProgram(t, mcp.Config{}, paper)
	c := converse(t, "http://"+p.addr+"/mcp", "2025-11-25", `{}`)
	conn, call := p.dial(t), legacyCall(`1`, "talk", `{}`)
	write(t, conn, fmt.Sprintf("POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nMcp-Session-Id: %s\r\nContent-Length: %d\r\n\r\n%s", c.session, len(call), call))
	paper.speak <- "one"
	id := idOf(t, conn, `"one"`)
	_ = conn.Close()
	for _, word := range []string{"two", "three"} {
		paper.speak <- word
	}
	back := c.send(http.DefaultClient, http.MethodGet, "", id)
	close(paper.speak)
	if events := whole(t, back); len(events) != 4 || gist(events[1].data) != "two" || gist(events[3].data) != "That was all." {
		t.Errorf("after the connection has broken the client gets %+v", events)
	}
}

// A stream lasts longer than any request may, and ends when the program does.
func TestAStreamEndsWithTheProgram(t *testing.T) {
	t.Parallel()
	paper := newNewspaper()
	p := startProgram(t, mcp.Config{CallTimeout: time.Second, WriteTimeout: time.Second, KeepAlive: 100 * time.Millisecond}, paper)
	c := converse(t, "http://"+p.addr+"/mcp", "2025-11-25", `{}`)
	stream := bufio.NewReader(c.send(http.DefaultClient, http.MethodGet, "", "").Body)
	time.Sleep(1500 * time.Millisecond)
	must(t, paper.AddTool(saying("late", "")))
	for {
		line, err := stream.ReadString('\n')
		if err != nil {
			t.Fatalf("the stream ends by itself: %v", err)
		}
		if strings.Contains(line, "tools/list_changed") {
			break
		}
	}
	start := time.Now()
	p.stop()
	if _, err := io.ReadAll(stream); err != nil {
		t.Errorf("the stream breaks off: %v", err)
	}
	<-p.done
	if took := time.Since(start); took >= limits.Drain || p.code != 0 {
		t.Errorf("the program ends with %d after %v", p.code, took)
	}
}

// A program of its own that serves the handler ends the streams too.
func TestAStreamEndsWithTheServerAroundAHandler(t *testing.T) {
	t.Parallel()
	web := httptest.NewServer(mcp.Handler(newNewspaper()))
	defer web.Close()
	c := converse(t, web.URL, "2025-11-25", `{}`)
	stream := c.send(web.Client(), http.MethodGet, "", "")
	start := time.Now()
	if err := web.Config.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	whole(t, stream)
	if took := time.Since(start); took >= limits.Drain {
		t.Errorf("that takes %v", took)
	}
}

// A stream that opens after that is refused.
func TestNoStreamIsOpenedWhileTheServerAroundAHandlerShutsDown(t *testing.T) {
	t.Parallel()
	var opened atomic.Int32
	held := hold(mcp.Handler(newNewspaper()), func(r *http.Request) bool { return r.Method == http.MethodGet && opened.Add(1) == 2 })
	web := httptest.NewServer(held)
	defer web.Close()
	c := converse(t, web.URL, "2025-11-25", `{}`)
	first := c.send(web.Client(), http.MethodGet, "", "")
	late := make(chan *http.Response, 1)
	go func() { late <- c.send(web.Client(), http.MethodGet, "", "") }()
	<-held.arrived
	ended := shutdown(t, web.Config)
	whole(t, first)
	close(held.goOn)
	w := <-late
	if said, err := io.ReadAll(w.Body); err != nil || w.StatusCode != http.StatusServiceUnavailable || !strings.Contains(string(said), "shutting down") {
		t.Errorf("a late stream gets %s: %s", w.Status, said)
	}
	must(t, <-ended)
}

func TestASlowReaderLosesItsStream(t *testing.T) {
	t.Parallel()
	paper := newNewspaper()
	p := startProgram(t, mcp.Config{WriteTimeout: time.Second}, paper)
	c := openSession(t, p.addr)
	defer c.conn.Close() //nolint:errcheck // a test
	var uris []string
	for i := range 8 {
		uris = append(uris, fmt.Sprintf("files://%d%s", i, strings.Repeat("a", 8000)))
		c.send(t, http.MethodPost, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"`+uris[i]+`"}}`)
		if w, err := http.ReadResponse(c.reader, nil); err != nil || w.ContentLength != int64(len(done(`1`))) {
			t.Fatalf("a subscription gets %+v, %v", w, err)
		} else {
			_, _ = io.Copy(io.Discard, w.Body)
		}
	}
	slow := openSession(t, p.addr)
	defer slow.conn.Close() //nolint:errcheck // a test
	slow.session = c.session
	must(t, slow.conn.SetReadBuffer(4<<10))
	slow.send(t, http.MethodGet, "/mcp", "")
	slow.reads(t, "id: ")
	eventually(t, "the stream is closed", func() bool {
		for _, uri := range uris {
			paper.ResourceUpdated(uri)
		}
		return p.log.count("level=WARN", "does not read") > 0
	})
}

// A client that loses its network during a replay reconnects immediately.
func TestAnUnreadReplayIsClosed(t *testing.T) {
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
	id := idOf(t, w.Body, `"one"`)
	_ = w.Body.Close()
	paper.speak <- strings.Repeat("y", 3800<<10)
	paper.speak <- "three" // so that the previous one is kept

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
	var first event
	for stream := eventstream.NewReader(again.Body, 1<<20); first == (event{}); { // comments while the first connection holds the stream
		read, _, err := stream.Next()
		must(t, err)
		first = eventOf(read)
	}
	if first.id == "" {
		t.Errorf("the second connection gets %+v", first)
	}
	close(paper.speak)
}
