package transport

import (
	"context"
	"net/http"

	"github.com/bowline-mcp/bowline/internal/call"
	"github.com/bowline-mcp/bowline/internal/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/resumption"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// Legacy serves the clients of versions that begin with a handshake.
type Legacy interface {
	// Post serves a POST without a modern claim.
	Post(ctx context.Context, a *call.Arrival, r HTTPReply)

	// Get serves a GET: a stream, or an error. It returns at the end of the stream.
	Get(w http.ResponseWriter, r *http.Request, reply GetReply)

	// Delete serves a DELETE, which ends a session.
	Delete(w http.ResponseWriter, r *http.Request)

	// EndStreams ends the streams that clients listen on. It is called when their HTTP
	// server stops.
	EndStreams()

	// Version returns the version of a request's session or headers, for the answer to a
	// body that is not a valid message.
	Version(r *http.Request) spec.Version

	// Open begins the session of a connection. The id is "" if the session is the process.
	// Push sends a message that isn't an answer.
	Open(session string, push func(*jsonrpc.Frame) error) Session
}

// An HTTPReply is a reply over HTTP. Headers can be added until it begins.
type HTTPReply interface {
	call.Reply
	Header() http.Header

	// Streams reports whether the reply is a stream of events, or has to be one.
	Streams() bool

	// KeepEvents makes the reply one of a session's streams, if it becomes a stream.
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
	// Serve serves a message without a modern claim.
	Serve(ctx context.Context, a *call.Arrival, r call.Reply)

	// Version returns the negotiated version, VersionUnknown before initialize.
	Version() spec.Version

	// Close ends the session. Nothing is pushed from then on.
	Close()
}
