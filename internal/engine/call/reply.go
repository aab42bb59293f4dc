package call

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/changes"
	"github.com/bowline-mcp/bowline/internal/engine/fault"
	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/engine/throttle"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// ErrNoStream is returned for a notification if the client accepts only the answer.
var ErrNoStream = errors.New("the client accepts no event stream")

// ErrFinished is returned for a notification after the call was answered,
// canceled or timed out.
var ErrFinished = errors.New("the call is over")

// ErrGone is wrapped in the error of a notification that could not be written because the
// client has disconnected.
var ErrGone = errors.New("the client has disconnected")

// An Arrival is a message, and how it arrived. The transport may reuse an Arrival after it
// was served, but not its bytes: handlers keep slices of them.
type Arrival struct {
	Message jsonrpc.Message

	// HTTP is the request that carried the message, nil on other transports. Its
	// headers are checked against the message.
	HTTP *http.Request

	// Table tracks the running calls of the client: of a stdio process or a legacy session.
	// It is nil on modern HTTP.
	Table *Table

	// Waits means that the message is in Table although its call hasn't begun.
	Waits bool

	// KeepAlive is how long its call may run before the reply's KeepAlive is called, 0 for any
	// time.
	KeepAlive time.Duration

	held throttle.Holding // the call's unit of the client's share of running calls
}

// A Reply sends the answer to one request. Its methods are called by one goroutine at a
// time.
type Reply interface {
	// Notify sends a notification, or a request of the server, before the answer. It turns
	// the reply into a stream; the error is ErrNoStream if the client accepts none. It
	// doesn't keep the frame.
	Notify(frame *jsonrpc.Frame) error

	// Finish sends the answer. It doesn't keep the frame.
	Finish(answer Answer)

	// ExtendTimeout announces that the answer may take longer than the default, up to this
	// time.
	ExtendTimeout(timeout time.Duration)

	// HandlerStillRuns announces that the answer is sent before the handler returns, which
	// may take long.
	HandlerStillRuns()
}

// An Answer ends a reply.
type Answer struct {
	// Frame is the message, nil if there is none.
	Frame *jsonrpc.Frame

	// Rest follows the frame's bytes. It is shared and not copied.
	Rest []byte

	// Error is the error of the answer, nil if it is a result. It may have HTTP headers.
	Error *exchange.Error

	// Refused means that the request was refused before it became a call. The reply logs
	// the error.
	Refused bool

	// Status is the HTTP status. It is ignored if the reply is already a stream, as are the
	// headers of the error.
	Status int
}

// A Streamer is a reply that can stay open after its message was served.
type Streamer interface {
	Reply

	// KeepOpen keeps the reply open until Finish. From then on, several goroutines may use
	// it. It reports false if the client accepts no stream. When the client disconnects,
	// disconnected is called with the reason, but not before the message was served.
	KeepOpen(disconnected func(error)) bool
}

// A KeepAliveReply is a reply that can keep the connection alive while a call runs. Otherwise a
// proxy may end the connection of a call that sends nothing before its answer.
type KeepAliveReply interface {
	Reply

	// KeepAlive sends something now, and again from time to time. It does nothing if the reply is
	// already a stream. It is called when the call has run for Arrival.KeepAlive.
	KeepAlive()
}

// A StreamCloser is a reply whose connection can end before the answer.
type StreamCloser interface {
	Reply

	// CloseStream ends the connection if the client can reconnect for the answer.
	CloseStream(retry time.Duration)
}

// A Peer describes the client of a call.
type Peer struct {
	request.Client
	Asker Asker // nil if the client can't be asked while a call runs

	// Elsewhere passes on the cancellation of a call by its raw id, since another process may run
	// the call. It is nil if no other process serves the client.
	Elsewhere func(id []byte)

	// Interest holds the client's subscriptions. It is nil in the modern era, and if the
	// client can't receive notifications.
	Interest *changes.Interest
}

// An Asker sends questions to a client as requests, and waits for the responses. Clients
// before 2026-07-28 support that.
type Asker interface {
	Ask(ctx context.Context, call *Call, questions []request.Question) (answers [][]byte, err error)
}

// Refuse answers a message with an error instead of a call. The version, if known, decides
// how a missing id is written.
func Refuse(id []byte, refusal *exchange.Error, v spec.Version, r Reply) {
	if id == nil && v != spec.VersionUnknown && v <= spec.Version20250618 {
		id = []byte("null") // these versions require the member
	}
	status := refusal.Status
	if status == 0 {
		status = http.StatusOK
	}
	frame := jsonrpc.NewFrame()
	defer frame.Free()
	frame.Buffer = fault.AppendResponse(frame.Buffer, id, refusal)
	r.Finish(Answer{Frame: frame, Error: refusal, Refused: true, Status: status})
}

// LogRefusal logs that a request was refused before it became a call.
func LogRefusal(ctx context.Context, logger *slog.Logger, level slog.Level, reason string, attrs ...slog.Attr) {
	logger.LogAttrs(ctx, level, "a request was refused", append(attrs, slog.String("reason", Brief(reason)))...)
}
