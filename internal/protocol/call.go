package protocol

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/internal/codec"
	"github.com/bowline-mcp/bowline/internal/jsonrpc"
)

// ErrNoStream is returned for what goes before an answer when the client takes only
// the answer.
var ErrNoStream = errors.New("the client takes no stream")

// ErrFinished is returned for a notification after the call was answered,
// cancelled or timed out.
var ErrFinished = errors.New("the call is over")

// A Call is one request being served. It is used again for another when it is
// over: whoever runs a handler keeps it from that handler's reach.
type Call struct {
	parent  context.Context
	ctx     *Context // of the handler, nil before it is run
	core    *Core
	arrival *Arrival
	peer    Peer
	reply   Reply
	name    string    // of the tool, for the log
	key     string    // of what the call is for
	number  uint64    // of all calls, for the log
	start   time.Time // when its handler began; if every call is told of, when it came
	timeout time.Duration
	known   bool  // whether it ever was in a table, of which somebody may have a copy
	problem error // why it fails, if the handler's runner has said so

	watchdog watchdog
	page     [1][]byte // of a list, which is the answer

	answer     sync.Mutex // guards what follows, the watchdog, and the use of reply
	answered   bool
	asking     *asking // nil unless the client is asked something
	ended      error   // why the call ended before its handler did
	outcome    Outcome
	fault      *Fault  // that was answered
	progressed bool    // whether any progress was sent
	last       float64 // progress
	returned   bool    // whether the handler has
	abandoned  bool    // whether the log counts the handler as one that hangs
	shared     bool    // whether something else may still use the call
}

// take returns a call that is ready to be used.
func (c *Core) take() *Call {
	if call, ok := c.idle.Get().(*Call); ok {
		return call
	}
	call := &Call{core: c, number: c.numbers.Add(1)}
	call.watchdog.answered = make(chan struct{}, 1)
	return call
}

// give takes a call back that is over. From then on it has another number, so that who
// still knows it by the old one leaves it alone.
func (c *Core) give(call *Call) {
	if call.known {
		call.answer.Lock()
		defer call.answer.Unlock()
	}
	call.parent, call.ctx, call.arrival, call.peer, call.reply = nil, nil, nil, Peer{}, nil
	call.name, call.key, call.number, call.start = "", "", c.numbers.Add(1), time.Time{}
	call.asking, call.problem, call.fault, call.page[0] = nil, nil, nil, nil
	call.answered, call.ended, call.outcome, call.progressed, call.last, call.returned = false, nil, "", false, 0, false
	c.idle.Put(call)
}

// allow gives the call a time of its own, if it isn't zero.
func (call *Call) allow(timeout time.Duration) {
	if timeout == 0 {
		return
	}
	if timeout > call.timeout {
		call.reply.Within(timeout)
	}
	call.timeout = timeout
}

// Begin makes ctx the context of the call's handler, and sets the watchdog on it.
func (call *Call) Begin(ctx *Context) {
	if call.start.IsZero() {
		call.start = time.Now()
	}
	ctx.Context, ctx.server, ctx.deadline = call.parent, call.core.lifecycle.ctx, call.start.Add(call.timeout)
	call.answer.Lock()
	call.ctx = ctx
	ended := call.ended
	call.watchdog.watch(call, ctx.deadline)
	call.answer.Unlock()
	if ended != nil {
		ctx.end(ended)
	}
}

// Done returns a channel that is closed when the call ends, whatever context its
// handler goes on with.
func (call *Call) Done() <-chan struct{} {
	call.answer.Lock()
	ctx := call.ctx
	call.answer.Unlock()
	return ctx.Done()
}

// End ends the context of the call's handler, which has returned.
func (call *Call) End() { call.end(context.Canceled) }

// end ends the context of the call's handler.
func (call *Call) end(err error) {
	call.answer.Lock()
	if call.ended == nil {
		call.ended = err
	}
	ctx := call.ctx
	call.answer.Unlock()
	if ctx != nil {
		ctx.end(err)
	}
}

// Logger returns the server's logger.
func (call *Call) Logger() *slog.Logger { return call.core.logger }

// Message returns the request. Its slices are valid until the handler returns.
func (call *Call) Message() *jsonrpc.Message { return &call.arrival.Message }

// HTTP returns the request that carried the message, nil on other transports.
func (call *Call) HTTP() *http.Request { return call.arrival.HTTP }

// Address returns the address that the client calls from, invalid on other transports.
func (call *Call) Address() netip.Addr { return call.core.Address(call.HTTP()) }

// Peer returns the client.
func (call *Call) Peer() *Peer { return &call.peer }

// Notify sends a notification on the call's reply. Params is a raw JSON object, or
// nil.
func (call *Call) Notify(method string, params []byte) error {
	frame := jsonrpc.NewFrame()
	defer frame.Free()
	frame.Close(jsonrpc.AppendNotification(frame.Open(), method, params))
	call.answer.Lock()
	defer call.answer.Unlock()
	return call.send(frame)
}

// Request sends a request of the server, of which the client's answer comes by
// another way. Params is a raw JSON object.
func (call *Call) Request(id uint64, method string, params []byte) error {
	frame := jsonrpc.NewFrame()
	defer frame.Free()
	frame.Close(jsonrpc.AppendRequest(frame.Open(), id, method, params))
	call.answer.Lock()
	defer call.answer.Unlock()
	if call.isOver() {
		return ErrFinished
	}
	return call.reply.Notify(frame)
}

// CloseStream ends the connection of the call's reply while the call goes on, where that
// is possible. A retry of more than 0 tells the client when to come back.
func (call *Call) CloseStream(retry time.Duration) {
	call.answer.Lock()
	defer call.answer.Unlock()
	if reply, ok := call.reply.(StreamCloser); ok && !call.answered {
		reply.CloseStream(retry)
	}
}

// Progress tells the client how far the call is, if it asked to know; a total of
// zero is unknown. A value that isn't above the last one is left out, since
// progress has to increase, and so is one that JSON has no number for.
func (call *Call) Progress(progress, total float64, message string) error {
	token := call.arrival.Message.Meta.ProgressToken
	if token == nil || token[0] != '"' && (token[0] < '-' || token[0] > '9') {
		return nil
	}
	frame := jsonrpc.NewFrame()
	defer frame.Free()
	call.answer.Lock()
	defer call.answer.Unlock()
	if call.progressed && progress <= call.last || !finite(progress) {
		return nil
	}
	call.progressed, call.last = true, progress
	b := append(frame.Open(), `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":`...)
	b = append(b, token...)
	b = append(b, `,"progress":`...)
	b = strconv.AppendFloat(b, progress, 'f', -1, 64)
	if total != 0 && finite(total) {
		b = append(b, `,"total":`...)
		b = strconv.AppendFloat(b, total, 'f', -1, 64)
	}
	if message != "" && call.peer.Version >= Version20250326 {
		b = append(b, `,"message":`...)
		b = codec.AppendQuote(b, message)
	}
	frame.Close(append(b, "}}"...))
	return call.send(frame)
}

// Logs reports whether the client wants log messages of that severity.
func (call *Call) Logs(severity Severity) bool {
	return call.peer.Log != SeverityNone && severity >= call.peer.Log
}

// Log sends the client a log message, if it wants it. Data is raw JSON. What the call
// is for is the name of the logger.
func (call *Call) Log(severity Severity, data []byte) error {
	if !call.Logs(severity) {
		return nil
	}
	b := append([]byte(`{"level":"`), severity.String()...)
	b = append(b, '"')
	if subject := call.subject(); len(subject) > 0 {
		b = codec.AppendQuote(append(b, `,"logger":`...), subject)
	}
	b = append(append(b, `,"data":`...), data...)
	return call.Notify("notifications/message", append(b, '}'))
}

// subject returns the name of the tool or prompt, or the URI of the resource, that
// the request is for.
func (call *Call) subject() []byte {
	m := call.Message()
	if name, ok := jsonrpc.Text(m.Name); ok {
		return name
	}
	uri, _ := jsonrpc.Text(m.URI)
	return uri
}

// Context returns the context that the call came with: values of its transport.
func (call *Call) Context() context.Context { return call.parent }

func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }

// send passes a notification on. The caller holds the lock.
func (call *Call) send(frame *jsonrpc.Frame) error {
	if call.isOver() {
		return ErrFinished
	}
	err := call.reply.Notify(frame)
	if !call.peer.Version.Modern() || errors.Is(err, ErrNoStream) {
		return nil // a legacy client that hangs up doesn't end its call
	}
	return err
}

// isOver reports whether the call sends nothing any more: it was answered, or cancelled.
// The caller holds the lock.
func (call *Call) isOver() bool {
	calls := call.arrival.Calls
	return call.answered || calls != nil && !calls.Runs(call)
}

// finish answers the call, once. It frees the frame.
func (call *Call) finish(outcome Outcome, status int, frame *jsonrpc.Frame, rest ...[]byte) {
	if frame != nil {
		defer frame.Free()
	}
	call.answer.Lock()
	if call.answered {
		call.answer.Unlock()
		return
	}
	call.answered, call.outcome = true, outcome
	if calls := call.arrival.Calls; calls != nil && !calls.end(call) { // the client may use the id again once it has the answer
		call.outcome, status, frame, rest = OutcomeCancelled, http.StatusAccepted, nil, nil
	}
	call.reply.Finish(status, frame, rest...)
	call.answer.Unlock()
	call.core.lifecycle.end()
}

// fail answers with an error.
func (call *Call) fail(fault *Fault) { call.failBy(OutcomeError, fault) }

func (call *Call) failBy(outcome Outcome, fault *Fault) {
	call.answer.Lock()
	if !call.answered {
		call.fault = fault
	}
	call.answer.Unlock()
	frame := jsonrpc.NewFrame()
	frame.Close(jsonrpc.AppendError(frame.Open(), call.arrival.Message.ID, fault.Code, fault.Message, fault.Data))
	call.finish(outcome, faultStatus(fault, call.peer.Version), frame)
}

// faultStatus is the HTTP status of an error that a method answers with. Legacy
// clients take 404 for a lost session, so theirs is 200 unless it is about who they
// are.
func faultStatus(fault *Fault, v Version) int {
	access := fault.Status == http.StatusUnauthorized || fault.Status == http.StatusForbidden
	if fault.Status == 0 || !v.Modern() && !access {
		return http.StatusOK
	}
	return fault.Status
}
