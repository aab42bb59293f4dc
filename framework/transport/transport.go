package transport

import (
	"context"
	"errors"
)

// ErrClosed is returned by Send on a closed transport.
var ErrClosed = errors.New("the transport is closed")

// A Transport carries whole JSON-RPC messages between one client and the server, in
// both directions and in order. The server calls Start once, then Send any number of
// times, and Close once at the end, even if Start has failed.
//
// A message is UTF-8 JSON without line breaks. How messages are delimited is up to the
// transport; on a byte stream the specification asks for one message a line.
type Transport interface {
	// Start begins to receive, and returns when the transport is ready. From then
	// on the transport calls the handlers. The context has the values of the one
	// that the program serves with, and ends just before Close is called.
	Start(ctx context.Context, handlers Handlers) error

	// Send carries a message to the client, and may wait until it can. It is called
	// by one goroutine at a time, which may be one that is inside Handlers.Message.
	// The message belongs to the caller: a transport that needs it after Send has
	// returned makes a copy. The context has a deadline, 30 s away unless
	// Config.WriteTimeout says otherwise. An error means that the client can't be
	// reached any more; serving ends with it, whatever the message was.
	Send(ctx context.Context, message []byte) error

	// Close ends the transport and all its goroutines, without waiting for
	// handlers. It may be called while Send waits, which then returns an error.
	Close() error
}

// Handlers are the functions that a transport calls. All three are set, and may be
// called from any goroutine. None is called before Start is; calls after Close do
// nothing.
type Handlers struct {
	// Message takes a message that the client has sent. Messages count as sent in the
	// order of these calls. It does not wait for the answer, but it may wait while the
	// client does not read, so that a client that sends without reading is slowed down.
	// The transport may reuse the message when the call has returned.
	//
	// The server refuses messages longer than Config.MaxLine (4 MiB), but the transport
	// must itself limit how much it reads for one.
	Message func(message []byte)

	// Error takes an error that doesn't end the transport. It is logged.
	Error func(err error)

	// Close says that nothing more will come: the client has gone, or has closed
	// its side. The server still sends the answers of running calls if it can,
	// then calls the transport's Close.
	Close func()
}
