package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// start runs the program, and returns how a client connects and how it is stopped.
func start(t *testing.T, server servers.Interface) (dial func() *client, stop func()) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- serve(ctx, server, listener) }()
	stop = func() {
		t.Helper()
		cancel()
		select {
		case err := <-ended:
			ended <- err
			if err != nil {
				t.Errorf("the program ends with %v", err)
			}
		case <-time.After(10 * time.Second):
			t.Error("the program does not end")
		}
	}
	t.Cleanup(stop)
	return func() *client {
		t.Helper()
		conn, err := net.Dial("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		if err := conn.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		return &client{t, conn.(*net.UnixConn), bufio.NewReader(conn)}
	}, stop
}

// A client is one at the other end of the socket.
type client struct {
	t    *testing.T
	conn *net.UnixConn
	in   *bufio.Reader
}

func (c *client) send(message string) {
	c.t.Helper()
	if _, err := io.WriteString(c.conn, message+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) read() string {
	c.t.Helper()
	line, err := c.in.ReadString('\n')
	if err != nil {
		c.t.Fatal(err)
	}
	return line
}

// add is a call of the tool by a client of the newest version.
func add(id, a, b int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"add","arguments":{"a":%d,"b":%d},`+
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`, id, a, b)
}

func TestSeveralClientsAreServedAtOnce(t *testing.T) {
	t.Parallel()
	dial, _ := start(t, &AdderServer{})
	clients := make([]*client, 8)
	for i := range clients {
		clients[i] = dial()
		clients[i].send(add(i, i, 100))
	}
	for i, client := range clients {
		if got, want := client.read(), fmt.Sprintf(`"text":"%d"`, 100+i); !strings.Contains(got, want) || !strings.Contains(got, fmt.Sprintf(`"id":%d,`, i)) {
			t.Errorf("client %d gets %s, want %s", i, got, want)
		}
	}
}

func TestAClientOfAnOlderVersionIsServed(t *testing.T) {
	t.Parallel()
	dial, _ := start(t, &AdderServer{})
	client := dial()
	client.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	if got := client.read(); !strings.Contains(got, `"protocolVersion":"2025-06-18"`) {
		t.Fatalf("initialize gets %s", got)
	}
	client.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	client.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2}}}`)
	if got := client.read(); !strings.Contains(got, `"text":"3"`) {
		t.Errorf("a call gets %s", got)
	}
}

func TestAClientThatClosesItsSideGetsItsAnswer(t *testing.T) {
	t.Parallel()
	dial, _ := start(t, &AdderServer{})
	client := dial()
	client.send(add(1, 1, 2))
	if err := client.conn.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if got := client.read(); !strings.Contains(got, `"text":"3"`) {
		t.Errorf("the answer is %s", got)
	}
	if rest, err := io.ReadAll(client.in); err != nil || len(rest) > 0 {
		t.Errorf("then comes %q, %v", rest, err)
	}
}

func TestAMessageThatIsTooLongEndsTheConnection(t *testing.T) {
	t.Parallel()
	dial, _ := start(t, &AdderServer{})
	client := dial()
	go func() { _, _ = io.WriteString(client.conn, strings.Repeat("a", 5<<20)) }()
	if rest, _ := io.ReadAll(client.in); len(rest) > 0 {
		t.Errorf("the answer is %s", rest)
	}
	other := dial()
	other.send(add(1, 1, 2))
	other.read()
}

// floodServer has a tool whose answer is larger than what a socket buffers.
type floodServer struct{ servers.Server }

func (*floodServer) Tools() []servers.Tool {
	return []servers.Tool{tools.Func("add", "Fills the socket.", func(context.Context, Terms) (string, error) {
		return strings.Repeat("a", 8<<20), nil
	})}
}

func TestTheProgramEndsThoughAClientDoesNotRead(t *testing.T) {
	t.Parallel()
	dial, stop := start(t, &floodServer{})
	client := dial()
	for id := range 100 {
		client.send(add(id, 1, 2))
	}
	stop()
}
