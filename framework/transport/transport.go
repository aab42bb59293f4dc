package transport

import (
	"context"
	"errors"
)

// ErrClosed is returned by Send on a closed transport.
var ErrClosed = errors.New("the transport is closed")

// A Transport carries complete JSON-RPC messages between one client and the server, in
// both directions and in order. The server calls Start once, then Send any number of
// times, and Close once at the end, even if Start has failed.
//
// A message is UTF-8 JSON without line breaks. The transport delimits messages; on a byte
// stream, the specification recommends one message per line.
type Transport interface {
	// Start begins to receive messages, and returns when the transport is ready. From
	// then on the transport calls the handlers. The context has the values of the context
	// passed to ServeTransport, and ends just before Close is called.
	Start(ctx context.Context, handlers Handlers) error

	// Send sends a message to the client. It may block. One goroutine at a time calls
	// Send, possibly from within Handlers.Message. The message belongs to the caller: a
	// transport that needs it after Send has returned must copy it. The context has a
	// deadline, set by Config.WriteTimeout (30 s by default). An error means that the
	// client can no longer be reached, and ends serving.
	Send(ctx context.Context, message []byte) error

	// Close ends the transport and all its goroutines, without waiting for handlers. It
	// may be called while Send blocks; Send then returns an error.
	Close() error
}

// Handlers are the functions that a transport calls. All three are set, and may be called
// from any goroutine. A transport calls none before Start; calls after Close do nothing.
type Handlers struct {
	// Message passes on a message from the client. The order of the calls is the order of
	// the messages. Message doesn't wait for the answer, but it may block while the
	// client doesn't read, to slow down a client that sends without reading. The
	// transport may reuse the message after Message has returned.
	//
	// The server refuses messages longer than Config.MaxLine (4 MiB by default), but the
	// transport itself must limit how much it reads for one message.
	Message func(message []byte)

	// Error reports an error that doesn't end the transport. The server logs it.
	Error func(err error)

	// Close reports that no more messages will arrive: the client has disconnected or has
	// closed its side. The server sends the answers of running calls if it can, then
	// calls the transport's Close.
	Close func()
}
