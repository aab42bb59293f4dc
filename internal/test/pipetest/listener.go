// Package pipetest is a network inside a bubble of testing/synctest. The clock of a bubble stands still while a goroutine waits for a
// real connection; while all goroutines wait for these connections, it advances.
package pipetest

import (
	"context"
	"net"
	"net/http"
	"sync"
	"testing"
)

// A Listener accepts the connections of its clients. It has no port, and no data waits in its connections: a write ends when the other
// side has read it.
type Listener struct {
	dialed chan net.Conn
	closed chan struct{}
	once   sync.Once
}

// Serve serves with an HTTP server until the test ends.
func Serve(t testing.TB, server *http.Server) *Listener {
	t.Helper()
	l := &Listener{dialed: make(chan net.Conn), closed: make(chan struct{})}
	go server.Serve(l) //nolint:errcheck // until Close
	t.Cleanup(func() { _ = server.Close() })
	return l
}

// Dial opens a connection to the server.
func (l *Listener) Dial(ctx context.Context) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case l.dialed <- conn{server}:
		return client, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Client returns an HTTP client whose requests go to the server, whatever the host of their URL is. Its connections close with the test.
func (l *Listener) Client(t testing.TB) *http.Client {
	t.Helper()
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return l.Dial(ctx) }}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// Accept returns the next connection of a client.
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case accepted := <-l.dialed:
		return accepted, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close ends Accept, and refuses later connections.
func (l *Listener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// Addr returns a loopback address, at which nothing listens.
func (*Listener) Addr() net.Addr { return loopback() }

// A conn is a connection from a loopback address.
type conn struct{ net.Conn }

func (conn) LocalAddr() net.Addr  { return loopback() }
func (conn) RemoteAddr() net.Addr { return loopback() }

func loopback() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }
