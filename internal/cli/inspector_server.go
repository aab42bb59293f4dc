package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/internal/address"
	"github.com/bowline-mcp/bowline/internal/cli/client"
	"github.com/bowline-mcp/bowline/internal/cli/dev"
	"github.com/bowline-mcp/bowline/internal/cli/endpoint"
	"github.com/bowline-mcp/bowline/internal/cli/inspector"
	"github.com/bowline-mcp/bowline/internal/cli/invocation"
	"github.com/bowline-mcp/bowline/internal/cli/launcher"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// The times that the app has to serve, and that a program has to say whether it is the app.
const (
	serveTime  = time.Minute
	answerTime = 10 * time.Second
)

// An inspectorServer is a server at a path of the app, to which the Inspector connects over
// HTTP.
type inspectorServer struct {
	root    string       // the folder of the app
	address string       // where the Inspector finds it
	chosen  net.Listener // keeps an address that was chosen here for the app; nil if the app has one
	path    string       // without parameters
	guarded bool
	limit   time.Duration // for the app to serve
	stderr  io.Writer
}

// newInspectorServer returns the server at a path that a listing has, perhaps with parameters.
func newInspectorServer(root, path string, listed launcher.Listing, stderr io.Writer) (*inspectorServer, error) {
	addr, chosen, err := clientAddress(listed.Address)
	if err != nil {
		return nil, err
	}
	guarded := slices.ContainsFunc(listed.Web, func(w launcher.ListedRoute) bool { return w.Guarded && matches(w.Path, path) })
	return &inspectorServer{root: root, address: addr, chosen: chosen, path: path, guarded: guarded, limit: serveTime, stderr: stderr}, nil
}

// clientAddress returns the address at which a client on this machine finds a program that
// listens at another. A port of 0 becomes one that is free, and that a listener keeps.
func clientAddress(addr string) (string, net.Listener, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", nil, fmt.Errorf("the app's address %q is invalid: %w; set APP_ADDR", addr, err)
	}
	if address.IsUnspecified(host) {
		host = inspector.DefaultHost
	}
	if port != "0" {
		return net.JoinHostPort(host, port), nil, nil
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return "", nil, err
	}
	return listener.Addr().String(), listener, nil
}

func (s *inspectorServer) describe() inspector.Server {
	return inspector.Server{Name: strings.Trim(strings.ReplaceAll(s.path, "/", "-"), "-"), URL: "http://" + s.address + s.path}
}

// serve serves the app until stop is called, unless it is served already. It returns when
// the app takes requests.
func (s *inspectorServer) serve(ctx context.Context) (stop func() error, err error) {
	nothing := func() error { return nil }
	if s.chosen != nil {
		if err := s.chosen.Close(); err != nil {
			return nothing, err
		}
	} else if found, err := s.isServed(ctx); found || err != nil {
		return nothing, err
	}
	_, _ = fmt.Fprintf(s.stderr, "mcp: serving the app at %s\n", s.address)
	serving, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- dev.Serve(serving, s.root, s.address, s.stderr, nil) }()
	stop = func() error {
		cancel()
		return <-ended
	}
	limit := time.NewTimer(s.limit)
	defer limit.Stop()
	for !endpoint.IsReady(ctx, s.address) {
		select {
		case err := <-ended:
			cancel()
			if err == nil {
				err = errors.New("the app ended before it served; mcp serve says why")
			}
			return nothing, err
		case <-limit.C:
			_ = stop() // the app that doesn't serve is the problem
			return nothing, fmt.Errorf("the app doesn't serve at %s after %s; its messages are above, and config/app.go must take APP_ADDR", s.address, s.limit)
		case <-time.After(50 * time.Millisecond):
		}
	}
	return stop, nil
}

// isServed reports whether a program serves MCP at the path already. The error says that
// another program has the address.
func (s *inspectorServer) isServed(ctx context.Context) (bool, error) {
	listener, err := net.Listen("tcp", s.address)
	switch {
	case err == nil:
		return false, listener.Close()
	case !address.IsInUse(err):
		return false, fmt.Errorf("the app can't listen at %s: %w; set APP_ADDR to another address", s.address, err)
	}
	u, err := url.Parse(s.describe().URL)
	if err != nil {
		return false, err
	}
	ctx, stop := context.WithTimeout(ctx, answerTime)
	defer stop()
	connected, err := client.HTTP(ctx, u, nil, client.Options{Version: invocation.ProgramVersion()})
	refusal := new(client.RefusedError)
	switch {
	case err == nil:
		_, _ = fmt.Fprintf(s.stderr, "mcp: using the server %s that is served at %s already\n", naming.Printable(connected.Server().Name), s.address)
		return true, connected.Close()
	case s.guarded && errors.As(err, &refusal) && refusal.IsLogin():
		_, _ = fmt.Fprintf(s.stderr, "mcp: using the server that is served at %s already\n", s.address)
		return true, nil
	}
	return false, fmt.Errorf("%s is in use by a program that isn't this app, since it serves no MCP at %s (%w); stop it, or set APP_ADDR to another address",
		s.address, naming.Printable(s.path), err)
}
