package mcp_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/transport"
)

// A carrier is a transport whose client is the test.
type carrier struct {
	handlers transport.Handlers
	sent     chan string // messages from the server
	started  chan struct{}
	closed   chan struct{}
	start    func(context.Context) error // nil: at once
	send     func(context.Context) error // nil: at once
}

func newCarrier() *carrier {
	return &carrier{sent: make(chan string, 4096), started: make(chan struct{}), closed: make(chan struct{})}
}

func (c *carrier) Start(ctx context.Context, handlers transport.Handlers) error {
	c.handlers = handlers
	close(c.started)
	if c.start != nil {
		return c.start(ctx)
	}
	return nil
}

func (c *carrier) Send(ctx context.Context, message []byte) error {
	if c.send != nil {
		if err := c.send(ctx); err != nil {
			return err
		}
	}
	c.sent <- string(message)
	return nil
}

func (c *carrier) Close() error {
	close(c.closed) // a second Close panics
	return nil
}

// A carried is a server on a carrier.
type carried struct {
	*carrier
	stop context.CancelFunc
	done chan error // the error of ServeTransport
	log  *logBuffer
}

// carry serves a server over a carrier.
func carry(t *testing.T, config mcp.Config, server servers.Interface, over *carrier) *carried {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	c := &carried{carrier: over, stop: stop, done: make(chan error, 1), log: &logBuffer{}}
	config.Logger = slog.New(slog.NewTextHandler(c.log, nil))
	app := mcp.New(config)
	app.Router.Local("fixture", server)
	go func() { c.done <- app.ServeTransport(ctx, "fixture", over) }()
	<-over.started
	t.Cleanup(func() {
		stop()
		<-over.closed
	})
	return c
}

// tell sends messages.
func (c *carried) tell(messages ...string) {
	for _, message := range messages {
		scratch := []byte(message)
		c.handlers.Message(scratch)
		clear(scratch) // the server must not retain it
	}
}

// next returns the next message from the server.
func (c *carried) next(t *testing.T) string {
	t.Helper()
	select {
	case message := <-c.sent:
		return message
	case <-time.After(time.Minute):
		t.Fatal("no answer")
		return ""
	}
}

// ask sends a message and returns the next message from the server.
func (c *carried) ask(t *testing.T, message string) string {
	t.Helper()
	c.tell(message)
	return c.next(t)
}

// end waits for the end of serving, and returns its error and the time until then.
func (c *carried) end(t *testing.T) (err error, took time.Duration) { //nolint:revive,staticcheck // the error is what a test asks for first
	t.Helper()
	start := time.Now()
	select {
	case err = <-c.done:
	case <-time.After(5 * time.Minute):
		t.Fatal("serving does not end")
	}
	<-c.closed
	return err, time.Since(start)
}
