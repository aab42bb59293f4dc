package mcp_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/internal/eventstream"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// sseProgram is a program that serves HTTP with SSE, and a client's open stream.
func sseProgram(t *testing.T, config mcp.Config, server *wireServer) (p *program, stream *eventstream.Reader, post func(message string)) {
	t.Helper()
	p = startRoutes(t, config, func(router *mcp.Router) { router.Web("/mcp", server).LegacySSE() })
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+p.addr+"/mcp/sse", nil)
	must(t, err)
	r.Header.Set("Accept", "text/event-stream")
	w, err := http.DefaultClient.Do(r)
	must(t, err)
	t.Cleanup(func() { _ = w.Body.Close() })
	stream = eventstream.NewReader(w.Body, 1<<20)
	endpoint := readBlock(t, stream)
	if w.StatusCode != http.StatusOK || endpoint.name != "endpoint" {
		t.Fatalf("the stream begins with %d %+v", w.StatusCode, endpoint)
	}
	return p, stream, func(message string) {
		t.Helper()
		w, err := http.Post("http://"+p.addr+endpoint.data, "application/json", strings.NewReader(message))
		must(t, err)
		_ = w.Body.Close()
		if w.StatusCode != http.StatusAccepted {
			t.Fatalf("a message gets %d", w.StatusCode)
		}
	}
}

// readBlock reads the next event.
func readBlock(t *testing.T, stream *eventstream.Reader) event {
	t.Helper()
	read, _, err := stream.Next()
	if err != nil {
		t.Fatalf("the stream breaks off: %v", err)
	}
	return eventOf(read)
}

// The answers of running calls still arrive when the program stops.
func TestAStreamOfHTTPWithSSEEndsWithTheProgram(t *testing.T) {
	t.Parallel()
	server := newWireServer()
	p, stream, post := sseProgram(t, mcp.Config{Drain: 100 * time.Millisecond, CallTimeout: time.Minute}, server)
	post(initialize("2024-11-05"))
	readBlock(t, stream)
	post(legacyCall(`1`, "wait", `{}`))
	eventually(t, "the call runs", func() bool { return server.running.Load() == 1 })
	start := time.Now()
	p.stop()
	if answer := readBlock(t, stream); !strings.Contains(answer.data, "was stopped before it had finished") {
		t.Errorf("the call gets %+v", answer)
	}
	if rest, _, err := stream.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("the stream ends with %q, %v", rest, err)
	}
	<-p.done
	if took := time.Since(start); took >= limits.Drain || p.code != 0 {
		t.Errorf("the program ends with %d after %v", p.code, took)
	}
}

func TestACallEndsWithItsConnectionOfHTTPWithSSE(t *testing.T) {
	t.Parallel()
	server := newWireServer()
	p := startRoutes(t, mcp.Config{}, func(router *mcp.Router) { router.Web("/mcp", server).LegacySSE() })
	conn := p.dial(t)
	write(t, conn, "GET /mcp/sse HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
	stream, path := eventstream.NewReader(conn, 1<<20), ""
	for !strings.HasPrefix(path, "/mcp/messages") {
		path = readBlock(t, stream).data
	}
	for _, message := range []string{initialize("2024-11-05"), legacyCall(`1`, "wait", `{}`)} {
		w, err := http.Post("http://"+p.addr+path, "application/json", strings.NewReader(message))
		must(t, err)
		_ = w.Body.Close()
	}
	eventually(t, "the call runs", func() bool { return server.running.Load() == 1 })
	_ = conn.Close()
	if err := <-server.ended; err == nil {
		t.Error("the call isn't cancelled")
	}
	eventually(t, "the call is logged as cancelled", func() bool { return p.log.count("tool=wait", "outcome=canceled") == 1 })
	if p.log.count("level=ERROR") != 0 {
		t.Errorf("the log is\n%s", p.log)
	}
}
