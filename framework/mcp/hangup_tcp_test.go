package mcp_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// preflight is the head of a browser's preflight.
const preflight = "OPTIONS /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: https://app.example.com\r\nAccess-Control-Request-Method: POST\r\n"

// A stream that ends doesn't wait for the body of its GET.
func TestAStreamWhoseBodyNeverCameClosesItsConnection(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		handler := wireHandler(t, mcp.Config{}, newWireServer())
		client := (&wireClient{handler: handler}).open(t, "2025-11-25")
		conn := dialInBubble(t, &http.Server{Handler: handler, WriteTimeout: time.Minute}) //nolint:gosec // a test
		write(t, conn, "GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\nMcp-Session-Id: "+client.session+"\r\nContent-Length: 1000\r\n\r\n")
		reader := bufio.NewReader(conn)
		w, err := http.ReadResponse(reader, nil)
		must(t, err)
		client.end(t)
		ended := time.Now()
		_, err = io.Copy(io.Discard, w.Body)
		must(t, err)
		if _, err := reader.ReadByte(); !errors.Is(err, io.EOF) || time.Since(ended) > 2*limits.UnreadBodyTimeout {
			t.Errorf("after %v the connection has %v", time.Since(ended), err)
		}
	})
}

// Python's http.client and urllib send the whole body before they read. The test doesn't run
// beside others, since all servers of a process share the limit of limits.LeftBodies, and
// other tests leave bodies. The system keeps little of a body for the server, so that the
// bodies are small: each has limits.UnreadBodyTimeout to be read.
func TestAClientThatWritesFirstReadsItsRefusal(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	web := &http.Server{Handler: wireHandler(t, mcp.Config{AllowedOrigins: []string{"https://app.example.com"}, MaxBody: buffered}, newWireServer())} //nolint:gosec // a test
	go func() { _ = web.Serve(smallBuffers{listener}) }()
	t.Cleanup(func() { _ = web.Close() })
	p := &program{addr: listener.Addr().String()}
	older := openSession(t, p.addr)
	t.Cleanup(func() { _ = older.conn.Close() })
	for name, test := range map[string]struct {
		head string
		want int
	}{
		"a large body":   {"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n", http.StatusRequestEntityTooLarge},
		"a content type": {"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/plain\r\n", http.StatusUnsupportedMediaType},
		"another path":   {"POST /other HTTP/1.1\r\nHost: 127.0.0.1\r\n", http.StatusNotFound},
		"an evil host":   {"POST /mcp HTTP/1.1\r\nHost: evil.example\r\n", http.StatusForbidden},
		"/healthz":       {"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n", http.StatusOK},
		"/readyz":        {"GET /readyz HTTP/1.1\r\nHost: 127.0.0.1\r\n", http.StatusOK},
		"a preflight":    {preflight, http.StatusNoContent},
		"a DELETE":       {"DELETE /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nMcp-Session-Id: " + older.session + "\r\n", http.StatusNoContent},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn := p.dial(t).(*net.TCPConn)
			must(t, conn.SetWriteBuffer(buffered))
			write(t, conn, fmt.Sprintf("%sContent-Length: %d\r\n\r\n", test.head, 16*buffered))
			for range 16 {
				write(t, conn, strings.Repeat("x", buffered))
			}
			time.Sleep(50 * time.Millisecond)
			if w, body := read(t, conn); w.StatusCode != test.want || body == "" && test.want != http.StatusNoContent {
				t.Errorf("the answer is %d %s, want %d", w.StatusCode, body, test.want)
			}
		})
	}
}

// smallBuffers is a listener for whose connections the system keeps little.
type smallBuffers struct{ net.Listener }

// buffered is how many bytes that is. Linux doubles it.
const buffered = 64 << 10

func (l smallBuffers) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err == nil {
		err = conn.(*net.TCPConn).SetReadBuffer(buffered)
	}
	return conn, err
}

// A client that sends requests and never reads is disconnected, even by a server without a
// WriteTimeout. A request on a connection that was quiet for long is answered.
func TestAClientThatNeverReadsIsLetGoByAnyServer(t *testing.T) {
	t.Parallel()
	call := rawCall(modernCall(`1`, "echo", `{"message":"`+strings.Repeat("x", 1<<10)+`"}`), "echo")
	for name, request := range map[string]string{
		"calls": call,
		"notifications": "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nMcp-Protocol-Version: 2026-07-28\r\n" +
			"Mcp-Method: notifications/a\r\nContent-Length: 44\r\n\r\n" + `{"jsonrpc":"2.0","method":"notifications/a"}`,
		"requests that are refused":    "PUT /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
		"requests for an unknown path": "POST /nothing HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				conn := dialPlain(t)
				begun := time.Now()
				var err error
				for many := []byte(strings.Repeat(request, 1+1000/len(request))); err == nil; {
					_, err = conn.Write(many)
				}
				if took := time.Since(begun); took > 2*limits.ShortAnswer {
					t.Errorf("the connection of a client that never reads stays for %v", took)
				}
			})
		})
	}
	t.Run("a quiet connection", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			patient := dialPlain(t)
			answers := bufio.NewReader(patient)
			for range 2 {
				write(t, patient, call)
				w, err := http.ReadResponse(answers, nil)
				if err != nil || w.StatusCode != http.StatusOK {
					t.Fatalf("got %v, %v", w, err)
				}
				_, _ = io.Copy(io.Discard, w.Body)
				time.Sleep(10 * time.Second) // longer than the WriteTimeout
			}
		})
	})
}

// dialPlain opens a connection to a server of net/http without timeouts.
func dialPlain(t *testing.T) net.Conn {
	t.Helper()
	handler := wireHandler(t, mcp.Config{WriteTimeout: 200 * time.Millisecond}, newWireServer())
	return dialInBubble(t, &http.Server{Handler: handler}) //nolint:gosec // a test
}

// The streams of both transports end when the program's own HTTP server shuts down.
func TestShutdownEndsTheStreamsOfBothTransports(t *testing.T) {
	t.Parallel()
	message := listenMessage(`1`, `{"toolsListChanged":true}`)
	listen := fmt.Sprintf("POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nMcp-Protocol-Version: 2026-07-28\r\n"+
		"Mcp-Method: subscriptions/listen\r\nAccept: application/json, text/event-stream\r\nContent-Length: %d\r\n\r\n%s", len(message), message)
	events := "GET /mcp/sse HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n"
	for name, requests := range map[string][]string{"listen first": {listen, events}, "SSE first": {events, listen}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app := mcp.New(mcp.Config{Logger: slog.New(slog.DiscardHandler)})
			app.Router.Web("/mcp", newWireServer()).LegacySSE()
			handler, err := app.Handler()
			must(t, err)
			plain := httptest.NewServer(handler)
			t.Cleanup(plain.CloseClientConnections)
			for _, request := range requests {
				conn, err := net.Dial("tcp", plain.Listener.Addr().String())
				must(t, err)
				write(t, conn, request)
				reader := bufio.NewReader(conn)
				if line, _ := reader.ReadString('\n'); !strings.Contains(line, "200") {
					t.Fatalf("a stream gets %q", line)
				}
				go func() { _, _ = io.Copy(io.Discard, reader) }()
			}
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			must(t, plain.Config.Shutdown(ctx))
		})
	}
}
