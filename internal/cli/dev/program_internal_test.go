package dev

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/bowline-mcp/bowline/internal/cli/dev/process"
)

// refusing returns a program that refuses connections.
func refusing(generation int) *program {
	listener := &pipeListener{closed: make(chan struct{})}
	close(listener.closed)
	return programAt(generation, listener)
}

// serving returns a program that answers requests with a handler. Its connections are in memory, so
// that it may run in the bubble of a test.
func serving(t *testing.T, generation int, handler http.HandlerFunc) *program {
	t.Helper()
	listener := &pipeListener{opened: make(chan net.Conn), closed: make(chan struct{})}
	server := &http.Server{Handler: handler}
	go func() { _ = server.Serve(listener) }()
	p := programAt(generation, listener)
	t.Cleanup(func() {
		p.transport.CloseIdleConnections()
		_ = server.Close()
	})
	return p
}

// programAt returns a program whose connections a listener accepts.
func programAt(generation int, listener *pipeListener) *program {
	p := &program{
		Process: &process.Process{Exited: make(chan struct{})}, generation: generation, address: "127.0.0.1:1",
		transport: newTransport(), unshared: newTransport(), retired: make(chan struct{}),
	}
	p.transport.DialContext, p.unshared.DialContext = listener.dial, listener.dial
	p.unshared.DisableKeepAlives = true
	return p
}

// proxyFor returns a proxy that serves with a program, and its log.
func proxyFor(t *testing.T, p *program) (*proxy, *bytes.Buffer) {
	t.Helper()
	logged := &bytes.Buffer{}
	x := newProxy(t.TempDir(), "127.0.0.1:1", io.Discard, log{logged})
	x.current = p
	return x, logged
}

// postRequest returns a request with a message of a client, in a session if that isn't "".
func postRequest(ctx context.Context, session, message string) *http.Request {
	request := httptest.NewRequestWithContext(ctx, http.MethodPost, "/mcp", strings.NewReader(message))
	request.Header.Set("Content-Type", "application/json")
	if session != "" {
		request.Header.Set("Mcp-Session-Id", session)
	}
	return request
}

// streamRequest returns a request for a stream of a session, after an event.
func streamRequest(ctx context.Context, session, lastEvent string) *http.Request {
	request := httptest.NewRequestWithContext(ctx, http.MethodGet, "/mcp", nil)
	request.Header.Set("Accept", "text/event-stream")
	request.Header.Set("Mcp-Session-Id", session)
	request.Header.Set(lastEventID, lastEvent)
	return request
}

// roundTrip passes a request through a proxy, and returns the whole answer.
func roundTrip(x *proxy, request *http.Request) *httptest.ResponseRecorder {
	answer := httptest.NewRecorder()
	x.ServeHTTP(answer, request)
	return answer
}

// A pipeListener is a listener whose connections are in memory.
type pipeListener struct {
	opened chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.opened:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (*pipeListener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

func (l *pipeListener) dial(ctx context.Context, network, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case l.opened <- server:
		return client, nil
	case <-l.closed:
		return nil, &net.OpError{Op: "dial", Net: network, Addr: l.Addr(), Err: errors.New("connection refused")}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
