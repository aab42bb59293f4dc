package mcp_test

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/mcp"
)

// dialFrom opens a connection from a loopback address.
func (p *program) dialFrom(t *testing.T, address string) net.Conn {
	t.Helper()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}, Timeout: 10 * time.Second}
	conn, err := dialer.Dial("tcp", p.addr)
	if err != nil {
		t.Skipf("the system has no address %s: %v", address, err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	return conn
}

const healthy = "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"

// isClosed reports whether the server has closed a connection.
func isClosed(conn net.Conn) bool {
	_ = conn.SetReadDeadline(time.Now().Add(5 * time.Second))
	_, _ = io.WriteString(conn, healthy)
	_, err := io.ReadAtLeast(conn, make([]byte, 10), 10)
	return err != nil
}

func TestAnAddressHoldsAFewConnections(t *testing.T) {
	t.Parallel()
	p := startProgram(t, mcp.Config{ClientConnections: 4}, newWireServer())
	var silent []net.Conn
	for range 4 {
		silent = append(silent, p.dialFrom(t, "127.0.0.1"))
	}
	for _, conn := range silent {
		if isClosed(conn) {
			t.Fatal("a connection is closed")
		}
	}
	if !isClosed(p.dialFrom(t, "127.0.0.1")) {
		t.Error("the fifth connection is open")
	}
	if isClosed(p.dialFrom(t, "127.0.0.2")) {
		t.Error("the connection of another address is closed")
	}
	_ = silent[0].Close()
	for begun := time.Now(); isClosed(p.dialFrom(t, "127.0.0.1")); {
		if time.Since(begun) > 10*time.Second {
			t.Fatal("no connection is free after one has ended")
		}
	}
	if log := p.log.String(); !strings.Contains(log, `client=127.0.0.1 setting="Config.ClientConnections (APP_CLIENT_CONNECTIONS)" limit=4`) {
		t.Errorf("the log is %s", log)
	}
}

// A proxy has a connection for each request of its clients, so those count by their own addresses.
func TestClientsBehindAProxyHoldAFewRequests(t *testing.T) {
	t.Parallel()
	server := newWireServer()
	p := startProgram(t, mcp.Config{ClientConnections: 2, TrustedProxies: []string{"127.0.0.1"}}, server)
	proxied := func(client string) net.Conn {
		conn := p.dialFrom(t, "127.0.0.1")
		write(t, conn, "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Forwarded-For: "+client+"\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{")
		return conn
	}
	for range 3 {
		proxied("192.0.2.1")
		proxied("192.0.2.2")
	}
	refused := func() bool {
		conn := p.dialFrom(t, "127.0.0.1")
		write(t, conn, strings.Replace(healthy, "\r\n\r\n", "\r\nX-Forwarded-For: 192.0.2.1\r\n\r\n", 1))
		w, _ := read(t, conn)
		return w.StatusCode == http.StatusTooManyRequests
	}
	for begun := time.Now(); !refused(); {
		if time.Since(begun) > 10*time.Second {
			t.Fatal("a client behind the proxy holds more than two requests")
		}
	}
	conn := p.dialFrom(t, "127.0.0.1")
	write(t, conn, strings.Replace(healthy, "\r\n\r\n", "\r\nX-Forwarded-For: 192.0.2.3\r\n\r\n", 1))
	if w, text := read(t, conn); w.StatusCode != http.StatusOK {
		t.Errorf("another client gets %d %s", w.StatusCode, text)
	}
}
