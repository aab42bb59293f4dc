package mcp_test

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/internal/test/pipetest"
)

// TestMain lets more tests run side by side than there are processors, since those that run in parallel mostly wait: on two processors
// the package takes 21 s with eight at a time, and 35 s with two.
func TestMain(m *testing.M) {
	_ = flag.Set("test.parallel", "8") // the flag of go test replaces it
	m.Run()
}

// A program that serves the fixture server over HTTP, on a loopback port.
type program struct {
	addr string
	stop context.CancelFunc
	done chan struct{}
	code int // its exit code, after done is closed
	log  *logBuffer
}

// startProgram runs "serve" with a server at /mcp.
func startProgram(t *testing.T, config mcp.Config, server servers.Interface) *program {
	t.Helper()
	return startRoutes(t, config, func(router *mcp.Router) { router.Web("/mcp", server) })
}

// startRoutes runs "serve"; one of the routes is at /mcp.
func startRoutes(t *testing.T, config mcp.Config, routes func(*mcp.Router)) *program {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	p := &program{stop: stop, done: make(chan struct{}), log: &logBuffer{}}
	config.Addr, config.Logger = "127.0.0.1:0", slog.New(slog.NewTextHandler(p.log, nil))
	app := mcp.New(config)
	routes(app.Router)
	go func() {
		defer close(p.done)
		p.code = app.Run(ctx, []string{"serve"}, strings.NewReader(""), io.Discard, p.log)
	}()
	for start := time.Now(); p.addr == ""; time.Sleep(time.Millisecond) {
		if match := regexp.MustCompile(`url=http://([^/]+)/mcp`).FindStringSubmatch(p.log.String()); match != nil {
			p.addr = match[1]
		} else if time.Since(start) > time.Minute {
			t.Fatalf("the program doesn't serve:\n%s", p.log)
		}
	}
	t.Cleanup(func() {
		stop()
		<-p.done
	})
	return p
}

// dial opens a connection.
func (p *program) dial(t *testing.T) net.Conn {
	t.Helper()
	conn, err := net.DialTimeout("tcp", p.addr, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(60 * time.Second))
	return conn
}

// dialInBubble serves with an HTTP server in a bubble of testing/synctest, and opens a connection to it.
func dialInBubble(t *testing.T, server *http.Server) net.Conn {
	t.Helper()
	conn, err := pipetest.Serve(t, server).Dial(t.Context())
	must(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(time.Hour))
	return conn
}

// rawCall returns a complete request as bytes.
func rawCall(message, tool string) string {
	return fmt.Sprintf("POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"+
		"MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: %s\r\nContent-Length: %d\r\n\r\n%s", tool, len(message), message)
}

// write sends bytes.
func write(t *testing.T, conn net.Conn, text string) {
	t.Helper()
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
}

// read reads one answer and its body.
func read(t *testing.T, conn net.Conn) (*http.Response, string) {
	t.Helper()
	w, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatalf("no answer: %v", err)
	}
	defer func() { _ = w.Body.Close() }()
	body, err := io.ReadAll(w.Body)
	if err != nil {
		t.Fatalf("the answer breaks off: %v, after %s", err, body)
	}
	return w, string(body)
}

// ask sends a call on a new connection and reads its answer.
func (p *program) ask(t *testing.T, id, tool, arguments string) (*http.Response, string) {
	t.Helper()
	conn := p.dial(t)
	write(t, conn, rawCall(modernCall(id, tool, arguments), tool))
	return read(t, conn)
}

// eventually waits until a condition holds. On a busy machine, megabytes that go through a socket
// while all other tests run take half a minute.
func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	for start := time.Now(); !done(); time.Sleep(time.Millisecond) {
		if time.Since(start) > 2*time.Minute {
			t.Fatalf("this doesn't happen: %s", what)
		}
	}
}
