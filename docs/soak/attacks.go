package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// attacks are the attacks that run, and how the server has answered them.
type attacks struct {
	sync.WaitGroup
	answered, refused, broken atomic.Int64
}

// String returns how the server has answered.
func (a *attacks) String() string {
	return fmt.Sprintf("%d answered, %d refused, %d broken off", a.answered.Load(), a.refused.Load(), a.broken.Load())
}

// count counts an answer.
func (a *attacks) count(status int, err error) {
	switch {
	case err != nil:
		a.broken.Add(1)
	case status == http.StatusOK:
		a.answered.Add(1)
	default:
		a.refused.Add(1)
	}
}

// attack runs all attacks, each from an address of its own, and writes how the server has answered.
func attack(ctx context.Context, address string, length time.Duration, out io.Writer) {
	ctx, stop := context.WithTimeout(ctx, length)
	defer stop()
	a := &attacks{}
	costly, flood, streams := newClient(address, 2, 400), newClient(address, 3, 8), newClient(address, 4, 20_000)
	streams.http.Timeout = 0
	a.repeat(ctx, 400, func() {
		status, _, err := costly.call(ctx, "costly", "1")
		a.count(status, err)
	})
	a.repeat(ctx, 8, func() {
		flood.session = ""
		response, _, err := flood.send(flood.request(ctx, initialize, "initialize", ""))
		if err != nil {
			a.count(0, err)
			return
		}
		a.count(response.StatusCode, nil)
	})
	a.repeat(ctx, 4, func() { a.listen(ctx, streams) })
	large := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"small","arguments":{"id":"` + strings.Repeat("x", 4<<20-200) + `"}}`)
	a.repeat(ctx, 300, func() { a.unfinished(ctx, address, 5, large) })
	a.repeat(ctx, 300, func() { a.unfinished(ctx, address, 6, large[:100]) })
	a.Wait()
	_, _ = fmt.Fprintln(out, a)
}

// repeat runs an attack again and again on n goroutines.
func (a *attacks) repeat(ctx context.Context, n int, attack func()) {
	for range n {
		a.Go(func() {
			for ctx.Err() == nil {
				attack()
			}
		})
	}
}

// listen opens a stream and keeps it open.
func (a *attacks) listen(ctx context.Context, c *client) {
	message := `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` + meta + `}}`
	response, err := c.http.Do(c.request(ctx, message, "subscriptions/listen", ""))
	if err != nil {
		a.count(0, err)
		return
	}
	a.count(response.StatusCode, nil)
	if response.StatusCode == http.StatusOK {
		a.Go(func() {
			_, _ = io.Copy(io.Discard, response.Body)
			_ = response.Body.Close()
		})
		return
	}
	_ = response.Body.Close()
	time.Sleep(10 * time.Millisecond)
}

// unfinished sends a part of a body of 4 MiB, and waits for what the server does.
func (a *attacks) unfinished(ctx context.Context, address string, from byte, part []byte) {
	head := fmt.Appendf(nil, "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", 4<<20-1)
	a.send(ctx, address, from, http.StatusServiceUnavailable, head, part)
}

// send sends bytes from a loopback address, and waits until the server answers, which counts as the
// status, or closes the connection.
func (a *attacks) send(ctx context.Context, address string, from byte, status int, pieces ...[]byte) {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, from)}, Timeout: 10 * time.Second}
	conn, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		a.count(0, err)
		time.Sleep(100 * time.Millisecond)
		return
	}
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	defer func() { _ = conn.Close() }()
	message := net.Buffers(pieces)
	if _, err = message.WriteTo(conn); err == nil {
		_, err = conn.Read(make([]byte, 16))
	}
	a.count(status, err)
}
