package transport

import (
	"context"
	"net/http"

	"github.com/bowline-mcp/bowline/internal/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/protocol"
)

// A Wing serves the clients of versions that begin with a handshake.
type Wing interface {
	// Get serves a GET: a stream, or an error. It returns at the end of the stream.
	Get(w http.ResponseWriter, r *http.Request, stream EventStream)

	// Delete serves a DELETE, which ends a session.
	Delete(w http.ResponseWriter, r *http.Request)

	// EndStreams ends the streams that clients have opened to be told of changes: the
	// HTTP server that serves them stops.
	EndStreams()

	// Post serves a POST without a modern claim.
	Post(ctx context.Context, a *protocol.Arrival, r HTTPReply)

	// Version returns the version that a request's session or headers tell, for
	// the answer to a body that can't be read.
	Version(r *http.Request) protocol.Version

	// Open begins the one session of a stream of messages, whose id is "" if the
	// process is the session. Push writes a message that answers none.
	Open(session string, push func(*jsonrpc.Frame) error) Guest
}

// An HTTPReply is a reply to whose response headers can be added, until it begins.
type HTTPReply interface {
	protocol.Reply
	Header() http.Header

	// Streams reports whether the reply is a stream of events, or has to be one.
	Streams() bool

	// Record lets a journal keep what is sent, once the reply is a stream.
	Record(journal Journal)
}

// An EventStream is the answer to a GET.
type EventStream interface {
	Outlet

	// Accepted reports whether the client takes a stream.
	Accepted() bool

	// Open begins the stream.
	Open()

	// Wait waits until the stream has ended, or returns why its client is gone.
	Wait(ctx context.Context) error
}

// A Guest is the session of a byte stream.
type Guest interface {
	// Serve serves a message without a modern claim.
	Serve(ctx context.Context, a *protocol.Arrival, r protocol.Reply)

	// Version returns the version that was agreed on, VersionUnknown before.
	Version() protocol.Version

	// Close ends the session: nothing is pushed any more.
	Close()
}
