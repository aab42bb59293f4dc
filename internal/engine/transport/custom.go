package transport

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"sync"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/protocol"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
)

// Custom serves one client over a custom transport, which the program implements. The
// transport calls Receive, Fail and End from any goroutine.
type Custom struct {
	conn       *Connection
	sender     Sender
	deliveries chan delivery
	ended      chan struct{} // closed when the transport has ended
	end        func()
	sending    context.Context
	cancel     context.CancelFunc // ends sending
}

// A Sender sends messages to the client.
type Sender interface {
	Send(ctx context.Context, message []byte) error
	Close() error
}

// NewCustom returns a server for the client of a sender. If legacy is nil, it serves only
// modern clients.
func NewCustom(core *protocol.Core, legacy Legacy, sender Sender, limits Limits, logger *slog.Logger) *Custom {
	return newCustom(core, legacy, "", sender, limits, logger)
}

func newCustom(core *protocol.Core, legacy Legacy, session string, sender Sender, limits Limits, logger *slog.Logger) *Custom {
	ended := make(chan struct{})
	c := &Custom{
		conn: newConnection(core, legacy, session, limits, logger), sender: sender,
		deliveries: make(chan delivery), ended: ended, end: sync.OnceFunc(func() { close(ended) }),
	}
	c.conn.in, c.conn.out = c, c
	return c
}

// Serve starts the transport and serves until the client or the context ends. Then it
// waits for the running calls up to the drain limit, and closes the transport.
func (c *Custom) Serve(ctx context.Context, start func(context.Context) error) error {
	handling := context.WithoutCancel(ctx)
	c.sending, c.cancel = context.WithCancel(handling)
	defer c.cancel()
	go c.conn.read(handling)
	released := context.AfterFunc(ctx, c.cancel) // interrupts a slow start
	err := start(c.sending)
	released()
	if err == nil {
		err = c.conn.wait(ctx)
	} else {
		c.conn.close()
	}
	c.end()
	c.cancel()
	return errors.Join(err, c.sender.Close())
}

// Receive serves a copy of a message from the client.
func (c *Custom) Receive(message []byte) {
	if len(message) > c.conn.limits.Line {
		c.conn.refuseSize(c.sending)
		return
	}
	c.deliver(delivery{message: bytes.Clone(message)})
}

// A delivery is a message from the client.
type delivery struct {
	message   []byte
	principal *exchange.Principal // the sender; nil means the connection's principal
}

// deliver serves a message without copying it.
func (c *Custom) deliver(message delivery) {
	select {
	case c.deliveries <- message:
	case <-c.ended:
	}
}

// Fail logs a problem that doesn't end the transport.
func (c *Custom) Fail(err error) {
	c.conn.logger.WarnContext(c.sending, "the transport reports a problem", "error", err)
}

// End ends the connection: the transport receives no more messages.
func (c *Custom) End() { c.end() }

// next returns the next message.
func (c *Custom) next(ctx context.Context) ([]byte, context.Context, error) {
	select {
	case delivered := <-c.deliveries:
		if delivered.principal != nil {
			ctx = exchange.WithPrincipal(ctx, *delivered.principal)
		}
		return delivered.message, ctx, nil
	case <-c.ended:
		return nil, ctx, io.EOF
	}
}

// write sends a message.
func (c *Custom) write(frame *jsonrpc.Frame, rest []byte) error {
	message := frame.JSON()
	if rest != nil {
		message = slices.Concat(message, rest)
	}
	ctx, cancel := context.WithTimeout(c.sending, c.conn.limits.WriteTime)
	defer cancel()
	return c.sender.Send(ctx, message)
}

// abandon interrupts a Send that waits for the client.
func (c *Custom) abandon() { c.cancel() }
