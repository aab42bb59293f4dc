package interop_test

import (
	"bytes"
	"net"
	"sync/atomic"
	"testing"
)

// testResumption ends the client's connection while the client waits for an answer: once
// because the server closes it, and once because the network breaks. The client reconnects
// automatically and gets the rest.
func testResumption(t *testing.T, app *program) {
	t.Parallel()
	requireNode(t, "@modelcontextprotocol/sdk")
	t.Run("after the server has hung up", func(t *testing.T) {
		t.Parallel()
		line := lineTo(t, app.addr, "")
		c, err := connectNode(testContext(t), "v1.mjs", "", target{URL: "http://" + line.addr + "/mcp"})
		if err != nil {
			t.Fatal(err)
		}
		if result := call(testContext(t), t, c, "test_reconnection", map[string]any{}); len(result.Texts) != 1 || result.IsError {
			t.Errorf("got %+v", result)
		}
		if !line.resumed.Load() {
			t.Error("the client has not come back for the answer")
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Run("after the network has broken", func(t *testing.T) {
		t.Parallel()
		line := lineTo(t, app.addr, `"progress":50`)
		c, err := connectNode(testContext(t), "v1.mjs", "", target{URL: "http://" + line.addr + "/mcp"})
		if err != nil {
			t.Fatal(err)
		}
		result, err := c.CallTool(testContext(t), toolCall{Name: "test_tool_with_progress", Arguments: map[string]any{}, Progress: true})
		if err != nil || len(result.Texts) != 1 || result.IsError {
			t.Errorf("got %+v, %v", result, err)
		}
		var progress []any
		for _, told := range c.Notifications() {
			if told.Method == "notifications/progress" {
				progress = append(progress, told.Params["progress"])
			}
		}
		if len(progress) != 3 || progress[0] != 0.0 || progress[1] != 50.0 || progress[2] != 100.0 {
			t.Errorf("the client has heard of the progress %v, want 0, 50 and 100, each once", progress)
		}
		if !line.cut.Load() || !line.resumed.Load() {
			t.Error("the connection has not broken, or the client has not come back")
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
}

// A line forwards connections to a program. It cuts the first one on which the program sends
// a certain text, before the text arrives.
type line struct {
	addr    string
	cutAt   []byte      // nil to cut none
	cut     atomic.Bool // whether it has cut one
	resumed atomic.Bool // whether the client has resumed a stream

	handshakes atomic.Int32 // how often clients have sent initialize
	streams    atomic.Int32 // how often the program has opened a stream
}

// lineTo opens a line to an address.
func lineTo(t *testing.T, addr, cutAt string) *line {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	l := &line{addr: listener.Addr().String(), cutAt: []byte(cutAt)}
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			program, err := net.Dial("tcp", addr)
			if err != nil { // the program is being restarted
				_ = client.Close()
				continue
			}
			go pass(client, program, func(data []byte) bool {
				if bytes.Contains(bytes.ToLower(data), []byte("last-event-id: ")) {
					l.resumed.Store(true)
				}
				if bytes.Contains(data, []byte(`"method":"initialize"`)) {
					l.handshakes.Add(1)
				}
				return true
			})
			go pass(program, client, func(data []byte) bool {
				if bytes.Contains(bytes.ToLower(data), []byte("content-type: text/event-stream")) {
					l.streams.Add(1)
				}
				cuts := cutAt != "" && bytes.Contains(data, l.cutAt) && !l.cut.Swap(true)
				return !cuts
			})
		}
	}()
	return l
}

// pass forwards the data of one side until look returns false.
func pass(from, to net.Conn, look func([]byte) bool) {
	defer func() {
		_ = from.Close()
		_ = to.Close()
	}()
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil || !look(buffer[:n]) {
			return
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}
