package transport

import (
	"context"
	"net/http"

	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/resumption"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// Legacy serves the clients of the versions with a handshake, 2025-11-25 and older.
type Legacy interface {
	// Post serves the message of a POST that doesn't state a modern version.
	Post(ctx context.Context, a *call.Arrival, r HTTPReply)

	// Get serves a GET: a stream, or an error. It returns at the end of the stream.
	Get(w http.ResponseWriter, r *http.Request, reply GetReply)

	// Delete serves a DELETE, which ends a session.
	Delete(w http.ResponseWriter, r *http.Request)

	// EndStreams ends the streams on which clients listen. It is called when their HTTP
	// server shuts down.
	EndStreams()

	// Version returns the version of a request's session or headers, for the answer to a
	// body that is not a valid message.
	Version(r *http.Request) spec.Version

	// Open begins the session of a connection. The id is "" on stdio, where the process is
	// the session. Push sends a message that isn't an answer.
	Open(session string, push func(*jsonrpc.Frame) error) Session
}

// An HTTPReply is a reply over HTTP. Headers can be added until it begins.
type HTTPReply interface {
	call.Reply
	Header() http.Header

	// Streams reports whether the reply is a stream of events, or has to be one.
	Streams() bool

	// KeepEvents makes the reply resumable if it becomes a stream: the session then keeps
	// its events.
	KeepEvents(session *resumption.Session)
}

// A GetReply is the answer to a GET.
type GetReply interface {
	resumption.Connection

	// Accepted reports whether the client accepts a stream.
	Accepted() bool

	// Open begins the stream.
	Open()

	// Wait waits until the stream has ended, or returns why its client disconnected.
	Wait(ctx context.Context) error
}

// A Session is the session of a [Connection].
type Session interface {
	// Serve serves a message that doesn't state a modern version.
	Serve(ctx context.Context, a *call.Arrival, r call.Reply)

	// Version returns the negotiated version, VersionUnknown before initialize.
	Version() spec.Version

	// Close ends the session, which pushes no more messages.
	Close()
}
