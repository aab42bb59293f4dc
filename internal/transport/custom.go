package transport

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"sync"

	"github.com/bowline-mcp/bowline/internal/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/protocol"
)

// Custom serves a core over a transport of the program's own, which calls Receive,
// Fail and End from any goroutine.
type Custom struct {
	stream  *Stream
	carrier Carrier
	arrived chan *[]byte
	ended   chan struct{} // closed when nothing more comes
	end     func()
	sending context.Context
	cancel  context.CancelFunc // ends sending
}

// A Carrier takes messages to the client.
type Carrier interface {
	Send(ctx context.Context, message []byte) error
	Close() error
}

// NewCustom returns a server of the client behind a carrier. A nil wing serves
// modern clients only.
func NewCustom(core *protocol.Core, wing Wing, carrier Carrier, limits Limits, logger *slog.Logger) *Custom {
	return newCustom(core, wing, "", carrier, limits, logger)
}

func newCustom(core *protocol.Core, wing Wing, session string, carrier Carrier, limits Limits, logger *slog.Logger) *Custom {
	ended := make(chan struct{})
	c := &Custom{
		stream: newStream(core, wing, session, limits, logger), carrier: carrier,
		arrived: make(chan *[]byte), ended: ended, end: sync.OnceFunc(func() { close(ended) }),
	}
	c.stream.in, c.stream.out = c, c
	return c
}

// Serve starts the transport and serves until the client or the context ends, then
// lets the running calls end within the drain limit, and closes the transport.
func (c *Custom) Serve(ctx context.Context, start func(context.Context) error) error {
	handling := context.WithoutCancel(ctx)
	c.sending, c.cancel = context.WithCancel(handling)
	defer c.cancel()
	go c.stream.read(handling)
	released := context.AfterFunc(ctx, c.cancel) // from a start that takes long
	err := start(c.sending)
	released()
	if err == nil {
		err = c.stream.wait(ctx)
	} else {
		c.stream.close()
	}
	c.end()
	c.cancel()
	return errors.Join(err, c.carrier.Close())
}

// Receive takes a message of the client, and keeps nothing of it.
func (c *Custom) Receive(message []byte) {
	if len(message) > c.stream.limits.Line {
		c.stream.refuseSize()
		return
	}
	buffer := c.stream.buffers.get()
	*buffer = append(*buffer, message...)
	select {
	case c.arrived <- buffer:
	case <-c.ended:
		c.stream.buffers.put(buffer)
	}
}

// Fail takes what went wrong without ending the transport.
func (c *Custom) Fail(err error) {
	c.stream.logger.Warn("the transport reports a problem", "error", err)
}

// End says that nothing more comes.
func (c *Custom) End() { c.end() }

// next returns the next message.
func (c *Custom) next() (*[]byte, error) {
	select {
	case buffer := <-c.arrived:
		return buffer, nil
	case <-c.ended:
		return nil, io.EOF
	}
}

// write sends a message.
func (c *Custom) write(frame *jsonrpc.Frame, rest [][]byte) error {
	message := frame.JSON()
	if len(rest) > 0 {
		message = slices.Concat(append([][]byte{message}, rest...)...)
	}
	ctx, cancel := context.WithTimeout(c.sending, c.stream.limits.WriteTime)
	defer cancel()
	return c.carrier.Send(ctx, message)
}

// abandon ends a Send that waits.
func (c *Custom) abandon() { c.cancel() }
