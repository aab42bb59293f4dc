package proxy

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/bowline-mcp/bowline/internal/cli/dev/applog"
	"github.com/bowline-mcp/bowline/internal/cli/dev/programs"
	"github.com/bowline-mcp/bowline/internal/cli/process"
	"github.com/bowline-mcp/bowline/internal/test/buffertest"
)

// newProxy returns a proxy, and its log.
func newProxy(t *testing.T) (*Proxy, *shownLog) {
	t.Helper()
	logged := &shownLog{}
	logged.log = applog.New(logged, t.TempDir())
	return New(t.TempDir(), "127.0.0.1:1", logged.log, nil), logged
}

// A shownLog is the log of a proxy. The programs of the tests don't log their calls, so the proxy
// shows them at the latest when it is read.
type shownLog struct {
	log *applog.Log
	buffertest.Buffer
}

func (l *shownLog) String() string {
	l.log.Close()
	return l.Buffer.String()
}

// proxyFor returns a proxy that serves with a program that answers requests with a handler, and its
// log.
func proxyFor(t *testing.T, handler http.HandlerFunc) (*Proxy, *shownLog) {
	t.Helper()
	x, logged := newProxy(t)
	adopt(x, serving(t, x, handler))
	return x, logged
}

// adopt makes a program the one that serves.
func adopt(x *Proxy, p *program) {
	x.Lock()
	defer x.Unlock()
	_ = x.Adopt(p) // a program of the tests doesn't end before
}

// refusing returns a program that refuses connections.
func refusing(t *testing.T, x *Proxy) *program {
	t.Helper()
	listener := &pipeListener{closed: make(chan struct{})}
	close(listener.closed)
	return programAt(t, x, listener)
}

// serving returns a program that answers requests with a handler. Its connections are in memory, so
// that it may run in the bubble of a test.
func serving(t *testing.T, x *Proxy, handler http.HandlerFunc) *program {
	t.Helper()
	listener := &pipeListener{opened: make(chan net.Conn), closed: make(chan struct{})}
	server := &http.Server{Handler: handler}
	go func() { _ = server.Serve(listener) }()
	p := programAt(t, x, listener)
	t.Cleanup(func() {
		p.Transport.shared.CloseIdleConnections()
		_ = server.Close()
	})
	return p
}

// programAt returns a program whose connections a listener accepts. Its process ends with the test.
func programAt(t *testing.T, x *Proxy, listener *pipeListener) *program {
	t.Helper()
	p := x.New(newEndpoint("127.0.0.1:1"))
	p.Transport.shared.DialContext, p.Transport.unshared.DialContext = listener.dial, listener.dial
	exited := make(chan struct{})
	p.Process = &process.Process{Exited: exited}
	isStopped := make(chan struct{})
	stopped.Store(p, isStopped)
	x.Watch(p, func() { close(isStopped) }, func() {})
	t.Cleanup(func() { close(exited) })
	return p
}

// endsNow reports whether a program that another one has replaced is stopped now, since it has no
// requests.
func endsNow(x *Proxy, p *program) bool {
	x.Retire(p)
	isStopped, _ := stopped.Load(p)
	return programs.ClosesSoon(isStopped.(chan struct{}))
}

// stopped has a channel for each program, which is closed when the program is told to stop.
var stopped sync.Map

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
func roundTrip(x *Proxy, request *http.Request) *httptest.ResponseRecorder {
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
