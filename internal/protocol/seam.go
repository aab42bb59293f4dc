package protocol

import (
	"net/http"
	"time"

	"github.com/bowline-mcp/bowline/internal/jsonrpc"
)

// An Arrival is what a transport knows about one message. Message holds slices of
// the transport's buffer, which must stay as it is until Serve or Dispatch has
// returned.
type Arrival struct {
	Message jsonrpc.Message

	// Size is how many bytes the message has, 0 on transports that bound messages by
	// themselves.
	Size int

	// HTTP is the request that carried the message, nil on other transports. Its
	// headers are checked against the message.
	HTTP *http.Request

	// Calls is the table of running calls that the message's id belongs to: one
	// for each stdio process and each legacy session. Modern HTTP has none.
	Calls *Calls

	// Waits says that the message was entered into Calls before its turn came.
	Waits bool

	// Kept is set when something may hold on to the arrival itself, which must
	// then not be used again.
	Kept bool
}

// A Reply is where the answer to one request goes. Its methods are called by one
// goroutine at a time.
type Reply interface {
	// Notify sends a notification, or a request of the server, before the answer;
	// from then on the reply is a stream. It keeps nothing of the frame. The error
	// is ErrNoStream if the client takes none.
	Notify(frame *jsonrpc.Frame) error

	// Finish sends the answer: the frame's message followed by rest, which is
	// shared and not copied. A nil frame means that there is no answer. Status is
	// the HTTP status, heeded if nothing was sent yet. The caller frees the frame.
	Finish(status int, frame *jsonrpc.Frame, rest ...[]byte)

	// Within says that the answer may take that long, when that is longer than usual.
	Within(timeout time.Duration)

	// Late says that the answer which follows is given in the place of a handler
	// that still runs, and may do so for long.
	Late()
}

// A Streamer is a reply that can stay open when Serve has returned.
type Streamer interface {
	Reply

	// Hold keeps the reply open until Finish; from now on several goroutines may use it.
	// It reports false when the client takes no stream. When the client is gone, gone
	// is called with the reason, after Serve has returned.
	Hold(gone func(error)) bool
}

// A StreamCloser is a reply whose connection can end before the answer is there.
type StreamCloser interface {
	Reply

	// CloseStream ends the connection if the client can come back for the answer.
	CloseStream(retry time.Duration)
}

// A Peer is the client as the handler of a request may know it.
type Peer struct {
	Version      Version
	Info         []byte   // raw Implementation, nil when unknown
	Capabilities []byte   // raw ClientCapabilities, nil when unknown
	Session      string   // empty in the modern era
	Asker        Asker    // nil: it can't be asked while a call runs
	Log          Severity // the least grave message that it wants; none if it wants no messages

	// Interest is what the client is told of when it changes, nil in the modern era and
	// when it can't be told.
	Interest *Interest
}
