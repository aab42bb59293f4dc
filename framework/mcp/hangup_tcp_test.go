package mcp_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/mcp"
)

// Python's http.client and urllib send the whole body before they read.
func TestAClientThatWritesFirstReadsItsRefusal(t *testing.T) {
	t.Parallel()
	p := startProgram(t, mcp.Config{}, newWireServer())
	for name, test := range map[string]struct {
		head string
		want int
	}{
		"a large body":   {"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n", http.StatusRequestEntityTooLarge},
		"a content type": {"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/plain\r\n", http.StatusUnsupportedMediaType},
		"another path":   {"POST /other HTTP/1.1\r\nHost: 127.0.0.1\r\n", http.StatusNotFound},
		"an evil host":   {"POST /mcp HTTP/1.1\r\nHost: evil.example\r\n", http.StatusForbidden},
	} {
		conn := p.dial(t)
		write(t, conn, fmt.Sprintf("%sContent-Length: %d\r\n\r\n", test.head, 20<<20))
		for range 20 {
			write(t, conn, strings.Repeat("x", 1<<20))
			time.Sleep(5 * time.Millisecond)
		}
		time.Sleep(50 * time.Millisecond)
		if w, body := read(t, conn); w.StatusCode != test.want || body == "" {
			t.Errorf("%s gets %d %s, want %d", name, w.StatusCode, body, test.want)
		}
	}
}

// A client that sends requests and never reads is disconnected, even by a server without a
// WriteTimeout. A request on a connection that was quiet for long is answered.
func TestAClientThatNeverReadsIsLetGoByAnyServer(t *testing.T) {
	t.Parallel()
	app := mcp.New(mcp.Config{WriteTimeout: 200 * time.Millisecond})
	app.Router.Web("/mcp", newWireServer())
	handler, err := app.Handler()
	must(t, err)
	gone := make(chan struct{}, 10)
	plain := httptest.NewUnstartedServer(handler)
	plain.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateClosed {
			gone <- struct{}{}
		}
	}
	plain.Start()
	t.Cleanup(plain.Close)
	conn, err := net.Dial("tcp", plain.Listener.Addr().String())
	must(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	request := rawCall(modernCall(`1`, "echo", `{"message":"`+strings.Repeat("x", 1<<10)+`"}`), "echo")
	go func() {
		for {
			if _, err := io.WriteString(conn, request); err != nil {
				return
			}
		}
	}()
	select {
	case <-gone:
	case <-time.After(20 * time.Second):
		t.Error("the connection of a client that never reads stays")
	}
	patient, err := net.Dial("tcp", plain.Listener.Addr().String())
	must(t, err)
	answers := bufio.NewReader(patient)
	for range 2 {
		_, err = io.WriteString(patient, request)
		must(t, err)
		w, err := http.ReadResponse(answers, nil)
		if err != nil || w.StatusCode != http.StatusOK {
			t.Fatalf("got %v, %v", w, err)
		}
		_, _ = io.Copy(io.Discard, w.Body)
		time.Sleep(300 * time.Millisecond) // longer than the WriteTimeout
	}
	_ = patient.Close()
}
