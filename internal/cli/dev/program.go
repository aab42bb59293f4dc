package dev

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"time"

	"github.com/bowline-mcp/bowline/internal/cli/dev/eventstream"
	"github.com/bowline-mcp/bowline/internal/cli/dev/process"
)

// stopLimit is how long a program may take to stop. Its own limits are shorter, unless the
// app sets them.
const stopLimit = 15 * time.Second

// A program is a process of the app that serves HTTP for the proxy.
type program struct {
	*process.Process
	generation int
	address    string
	transport  *http.Transport
	unshared   *http.Transport // with a connection for each request
	retired    chan struct{}   // closed when it no longer gets requests

	behindProxies bool // whether the app trusts proxies in front of mcp dev

	// Guarded by the lock of the proxy.
	running int  // requests
	over    bool // whether it gets no new ones
	stopped bool // whether it was told to stop
}

// startProgram starts the program at path on a free port, and waits until it is ready.
func startProgram(ctx context.Context, root, path string, generation int, env []string, stderr io.Writer, limit time.Duration) (*program, error) {
	address, err := freeAddress(ctx)
	if err != nil {
		return nil, err
	}
	child, err := process.Start(root, path, []string{"serve", "--until-eof"}, append(env, "APP_ADDR="+address), stderr, stderr)
	if err != nil {
		return nil, err
	}
	p := &program{
		Process: child, generation: generation, address: address, retired: make(chan struct{}),
		transport: newTransport(), unshared: newTransport(),
	}
	p.unshared.DisableKeepAlives = true
	if err := p.awaitReady(ctx, limit); err != nil {
		p.end()
		return nil, err
	}
	return p, nil
}

func newTransport() *http.Transport {
	return &http.Transport{MaxIdleConnsPerHost: 1024, IdleConnTimeout: time.Minute, DisableCompression: true}
}

// freeAddress returns a loopback address on which nothing listens.
func freeAddress(ctx context.Context) (string, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("find a free port: %w", err)
	}
	return listener.Addr().String(), listener.Close()
}

// awaitReady waits until /readyz answers 200, but no longer than the limit.
func (p *program) awaitReady(ctx context.Context, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+p.address+"/readyz", nil)
	if err != nil {
		return err
	}
	for {
		response, err := p.transport.RoundTrip(request)
		if err == nil {
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-p.Exited:
			return fmt.Errorf("the program has ended before it was ready: %s", p.Ending())
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.Canceled) {
				return ctx.Err()
			}
			return fmt.Errorf("the program did not answer http://%s/readyz within %v: nothing in func main may wait before app.Main(), "+
				"and config/app.go must take the address from APP_ADDR, as in Addr: env.String(\"APP_ADDR\", \"127.0.0.1:8080\")", p.address, limit)
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// end stops the program and closes the connections to it.
func (p *program) end() {
	p.Stop(stopLimit)
	p.transport.CloseIdleConnections()
}

// retirement returns a context that ends when a program no longer gets requests, or with ctx.
func retirement(ctx context.Context, p *program) context.Context {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		defer cancel()
		select {
		case <-p.retired:
		case <-ctx.Done():
		}
	}()
	return ctx
}

// newBody returns a body with a message.
func newBody(message []byte) io.ReadCloser { return io.NopCloser(bytes.NewReader(message)) }

// isEventStream reports whether headers announce server-sent events.
func isEventStream(header http.Header) bool {
	kind, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	return kind == "text/event-stream"
}

// post sends a message to the program, and returns its answer.
func (p *program) post(ctx context.Context, uri string, header http.Header, message []byte) (*answer, error) {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+p.address+uri, newBody(message))
	if err != nil {
		return nil, err
	}
	request.ContentLength = int64(len(message))
	request.Header, request.Host = header.Clone(), header.Get("Host")
	request.Header.Del("Host")
	response, err := p.transport.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	got := &answer{status: response.StatusCode, header: response.Header}
	if !isEventStream(response.Header) {
		got.body, err = io.ReadAll(io.LimitReader(response.Body, maxSeen))
		return got, err
	}
	for events := eventstream.NewReader(response.Body, maxSeen); ; {
		event, _, err := events.Next()
		if data := event.Data(); len(data) > 0 {
			got.body = data
		}
		if err != nil {
			return got, nil //nolint:nilerr // the stream ends after the answer
		}
	}
}

// An answer is a response to a message of our own.
type answer struct {
	status int
	header http.Header
	body   []byte
}
