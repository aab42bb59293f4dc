package proxy

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

	"github.com/bowline-mcp/bowline/internal/cli/dev/programs"
	"github.com/bowline-mcp/bowline/internal/cli/process"
	"github.com/bowline-mcp/bowline/internal/eventstream"
)

// An endpoint is where a program serves HTTP.
type endpoint struct {
	address  string
	shared   *http.Transport
	unshared *http.Transport // opens a connection for each request

	behindProxies bool // whether the app trusts proxies in front of mcp dev
}

func newEndpoint(address string) *endpoint {
	shared := &http.Transport{MaxIdleConnsPerHost: 1024, IdleConnTimeout: time.Minute, DisableCompression: true}
	unshared := shared.Clone()
	unshared.DisableKeepAlives = true
	return &endpoint{address: address, shared: shared, unshared: unshared}
}

// start starts the program at path on a free port, and waits until it is ready.
func (x *Proxy) start(ctx context.Context, path string, env []string) (*program, error) {
	address, err := freeAddress(ctx)
	if err != nil {
		return nil, err
	}
	p := x.New(newEndpoint(address))
	command := process.App(context.Background(), x.root, path, "serve", "--until-eof")
	command.Env = append(append(command.Environ(), env...), "APP_ADDR="+address)
	command.Stdout, command.Stderr = p.Stderr, p.Stderr
	p.Process, err = process.Start(command)
	if err != nil {
		return nil, err
	}
	x.Watch(p, func() { p.Stop(programs.StopLimit) }, p.Transport.shared.CloseIdleConnections)
	if err := awaitReady(ctx, p, x.startLimit); err != nil {
		x.Retire(p)
		return nil, err
	}
	return p, nil
}

// freeAddress returns a loopback address on which nothing listens.
func freeAddress(ctx context.Context) (string, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("find a free port: %w", err)
	}
	return listener.Addr().String(), listener.Close()
}

// awaitReady waits until /readyz of a program answers 200, but no longer than the limit.
func awaitReady(ctx context.Context, p *program, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	url := "http://" + p.Transport.address + "/readyz"
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	for {
		response, err := p.Transport.shared.RoundTrip(request)
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
			return fmt.Errorf("the program did not answer %s within %v: nothing in func main may wait before app.Main(), "+
				"and config/app.go must take the address from APP_ADDR, as in Addr: env.String(\"APP_ADDR\", \"127.0.0.1:8080\")", url, limit)
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// forwardedFor is the header in which proxies name the client.
const forwardedFor = "X-Forwarded-For"

// addClient names the client at an address in the headers of a request to the program, which
// trusts this proxy. The program gets the header of the client only if the app trusts proxies;
// then it decides by the address.
func (p *endpoint) addClient(header http.Header, address string) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return
	}
	if !p.behindProxies {
		header.Del(forwardedFor)
	}
	header[forwardedFor] = append(header[forwardedFor], host)
}

// post sends a message of our own to the program, and returns the answer and its message.
func (p *endpoint) post(ctx context.Context, uri string, header http.Header, message []byte) (response *http.Response, answer []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, programs.StartLimit)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+p.address+uri, bytes.NewReader(message))
	if err != nil {
		return nil, nil, err
	}
	request.Header, request.Host = header.Clone(), header.Get("Host")
	request.Header.Del("Host")
	if response, err = p.shared.RoundTrip(request); err != nil {
		return nil, nil, err
	}
	defer func() { _ = response.Body.Close() }()
	if !isEventStream(response) {
		answer, err = io.ReadAll(io.LimitReader(response.Body, maxSeen))
		return response, answer, err
	}
	for message := range eventstream.NewReader(response.Body, maxSeen).Messages() {
		answer = message // the last one is the answer
	}
	return response, answer, nil
}

// isEventStream reports whether an answer is a stream of events.
func isEventStream(response *http.Response) bool {
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	return kind == "text/event-stream"
}
