// This example serves MCP over a unix socket, by a transport of its own. It serves
// any number of clients at once.
//
//	go run ./examples/transport
package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// socketPath is where the program listens, in the folder where it runs.
const socketPath = "adder.sock"

// AdderServer has one tool.
type AdderServer struct {
	servers.Server
}

// Terms are what is added.
type Terms struct {
	A int `json:"a"`
	B int `json:"b"`
}

// Tools lists what the server offers.
func (*AdderServer) Tools() []servers.Tool {
	return []servers.Tool{
		tools.Func("add", "Adds two numbers.", func(_ context.Context, terms Terms) (int, error) {
			return terms.A + terms.B, nil
		}),
	}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	listener, err := net.Listen("unix", socketPath)
	if err == nil {
		slog.Info("serving", "socket", socketPath)
		err = serve(ctx, &AdderServer{}, listener)
	}
	if err != nil {
		slog.Error("the program ends", "error", err)
		os.Exit(1)
	}
}

// serve serves every client that connects, until the context ends; then it waits for
// the calls that still run.
func serve(ctx context.Context, server servers.Interface, listener net.Listener) error {
	var clients sync.WaitGroup
	defer clients.Wait()
	defer context.AfterFunc(ctx, func() { _ = listener.Close() })()
	for {
		conn, err := listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return nil
		}
		if err != nil {
			return err
		}
		clients.Go(func() {
			if err := mcp.ServeTransport(ctx, server, &Socket{conn}); err != nil {
				slog.Warn("a client is lost", "error", err)
			}
		})
	}
}
