package mcp_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/internal/test/gatetest"
)

// An olderClient has a session, on a connection of its own.
type olderClient struct {
	conn    *net.TCPConn
	reader  *bufio.Reader
	session string
}

// openSession begins a session over TCP. The test closes the connection: a function for the end of the test would keep the client.
func openSession(t *testing.T, addr string) *olderClient {
	t.Helper()
	conn, err := net.DialTimeout("tcp", addr, 10*time.Second)
	must(t, err)
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	c := &olderClient{conn: conn.(*net.TCPConn), reader: bufio.NewReaderSize(conn, 512)}
	c.send(t, http.MethodPost, "/mcp", initialize("2025-11-25"))
	w, err := http.ReadResponse(c.reader, nil)
	must(t, err)
	_, _ = io.Copy(io.Discard, w.Body)
	c.session = w.Header.Get("Mcp-Session-Id")
	return c
}

// send sends a request.
func (c *olderClient) send(t *testing.T, method, path, body string) {
	t.Helper()
	write(t, c.conn, c.head(method, path, len(body))+body)
}

func (c *olderClient) head(method, path string, length int) string {
	return fmt.Sprintf("%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"+
		"Mcp-Session-Id: %s\r\nContent-Length: %d\r\n\r\n", method, path, c.session, length)
}

// closing makes a request the last one of its connection.
func closing(head string) string {
	return strings.Replace(head, "HTTP/1.1\r\n", "HTTP/1.1\r\nConnection: close\r\n", 1)
}

// apart sends a request on another connection, and waits for its answer.
func (c *olderClient) apart(t *testing.T, method, body string) {
	t.Helper()
	other, err := net.Dial("tcp", c.conn.RemoteAddr().String())
	must(t, err)
	defer func() { _ = other.Close() }()
	must(t, other.SetDeadline(time.Now().Add(20*time.Second))) // shorter than the write timeout of a client that doesn't read
	write(t, other, closing(c.head(method, "/mcp", len(body)))+body)
	if _, err := http.ReadResponse(bufio.NewReader(other), nil); err != nil { // a session may be idle by now
		t.Fatalf("%s gets no answer: %v", method, err)
	}
}

// reads reads up to a line that contains a text.
func (c *olderClient) reads(t *testing.T, text string) {
	t.Helper()
	for {
		line, err := c.reader.ReadString('\n')
		if err != nil {
			t.Fatalf("%v, where %q should come", err, text)
		}
		if strings.Contains(line, text) {
			return
		}
	}
}

// TestSessionsLeaveNothingBehindOverTCP ends many sessions, each with a stream or a
// call, in each way in which a connection can end. The rest of a session is freed when it
// has been idle.
func TestSessionsLeaveNothingBehindOverTCP(t *testing.T) {
	const streamed = `"begun"`
	hangUp := func(t *testing.T, c *olderClient) { must(t, c.conn.Close()) }
	follow := func(tool, until string) func(*testing.T, *olderClient) {
		return func(t *testing.T, c *olderClient) {
			c.send(t, http.MethodPost, "/mcp", legacyCall(`1`, tool, `{}`))
			c.reads(t, until)
		}
	}
	get := func(t *testing.T, c *olderClient) {
		c.send(t, http.MethodGet, "/mcp", "")
		c.reads(t, "id: ")
	}
	const atOnce = 50
	n, ways := gatetest.Rounds(atOnce, 1000), partings{}
	// Beside as many others, a client may take a second from initialize to its call.
	idle := time.Duration(gatetest.Rounds(400, 3000)) * time.Millisecond
	config := mcp.Config{ClientCalls: n, KeepAlive: 100 * time.Millisecond, CallTimeout: 250 * time.Millisecond, SessionIdle: idle}
	for name, test := range map[string]struct {
		begin, end func(*testing.T, *olderClient)
	}{
		"before the headers": {func(t *testing.T, c *olderClient) { write(t, c.conn, "POST /mcp HTTP/1.1\r\nHost: 127") }, hangUp},
		"mid-body": {func(t *testing.T, c *olderClient) {
			write(t, c.conn, c.head(http.MethodPost, "/mcp", 100)+`{"jsonrpc"`)
		}, hangUp},
		"mid-stream": {follow("waits", streamed), hangUp},
		"by a reset": {get, func(t *testing.T, c *olderClient) {
			must(t, c.conn.SetLinger(0))
			must(t, c.conn.Close())
		}},
		"with a stream":                 {get, hangUp},
		"by a panic":                    {follow("panics", `"isError":true`), hangUp},
		"by the call's timeout":         {follow("waits", streamed), func(t *testing.T, c *olderClient) { c.reads(t, "timed out"); hangUp(t, c) }},
		"by the handler":                {follow("closes", "retry: 1000"), hangUp},
		"with a stream of HTTP and SSE": {func(t *testing.T, c *olderClient) { c.send(t, http.MethodGet, "/mcp/sse", ""); c.reads(t, "endpoint") }, hangUp},
		"by a notification": {follow("waits", streamed), func(t *testing.T, c *olderClient) {
			c.apart(t, http.MethodPost, cancelled(`1`))
			c.reads(t, "0\r\n") // the end of the stream
			hangUp(t, c)
		}},
		"by DELETE while a stream is open": {get, func(t *testing.T, c *olderClient) {
			c.apart(t, http.MethodDelete, "")
			c.reads(t, "0\r\n") // the end of the stream
			hangUp(t, c)
		}},
	} {
		ways[name] = func(t *testing.T) (*program, func()) {
			paper := leaky()
			p := startRoutes(t, config, func(router *mcp.Router) { router.Web("/mcp", paper).LegacySSE() })
			return p, func() {
				for range n / atOnce {
					clients := make([]*olderClient, atOnce)
					for i := range clients {
						clients[i] = openSession(t, p.addr)
						test.begin(t, clients[i])
					}
					for i, c := range clients {
						if i%25 == 0 { // some get a notification while they end
							must(t, paper.AddTool(saying("late", "")))
							paper.RemoveTool("late")
						}
						test.end(t, c)
					}
				}
			}
		}
	}
	ways.leaveNothing(t, config.SessionIdle)
}

// A stallingWriter pauses after it gets a write deadline, as a busy machine may.
type stallingWriter struct{ http.ResponseWriter }

func (w stallingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w stallingWriter) SetWriteDeadline(deadline time.Time) error {
	err := http.NewResponseController(w.ResponseWriter).SetWriteDeadline(deadline)
	time.Sleep(150 * time.Millisecond)
	return err
}

func TestTheEndOfAStreamIsSentAlthoughTheProgramStalls(t *testing.T) {
	t.Parallel()
	p := startRoutes(t, mcp.Config{CallTimeout: time.Second}, func(router *mcp.Router) {
		router.Use(func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(stallingWriter{w}, r) })
		})
		router.Web("/mcp", leaky())
	})
	c := openSession(t, p.addr)
	c.send(t, http.MethodPost, "/mcp", legacyCall(`1`, "closes", `{}`))
	c.reads(t, "retry: 1000")
	must(t, c.conn.Close())
}

// A cancellation, or the end of a session, is immediate although the client doesn't read
// the messages of the call.
func TestUnreadCallsLeaveNothingBehind(t *testing.T) {
	ways := partings{}
	config := mcp.Config{ClientCalls: 1000, CallTimeout: time.Minute, SessionIdle: 400 * time.Millisecond}
	for name, end := range map[string]func(*testing.T, *olderClient){
		"by a notification": func(t *testing.T, c *olderClient) { c.apart(t, http.MethodPost, cancelled(`1`)) },
		"by DELETE":         func(t *testing.T, c *olderClient) { c.apart(t, http.MethodDelete, "") },
	} {
		ways[name] = func(t *testing.T) (*program, func()) {
			p := startProgram(t, config, leaky())
			return p, func() {
				for range 5 {
					c := openSession(t, p.addr)
					must(t, c.conn.SetReadBuffer(4<<10))
					c.send(t, http.MethodPost, "/mcp", legacyCall(`1`, "floods", `{}`))
					c.reads(t, "id: ")
					time.Sleep(20 * time.Millisecond) // until nothing more fits
					end(t, c)
					must(t, c.conn.Close())
				}
			}
		}
	}
	ways.leaveNothing(t, config.SessionIdle)
}
