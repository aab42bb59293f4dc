package call

import (
	"errors"
	"math"
	"strconv"
	"time"

	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// Notify sends a notification on the call's reply. Params is a raw JSON object, or
// nil.
func (c *Call) Notify(method string, params []byte) error {
	frame := jsonrpc.NewFrame()
	defer frame.Free()
	frame.Buffer = jsonrpc.AppendNotification(frame.Buffer, method, params)
	c.lock.Lock()
	defer c.lock.Unlock()
	return c.send(frame)
}

// Request sends the client a request. The response arrives as a separate message, not
// through this call. Params is a raw JSON object.
func (c *Call) Request(id uint64, method string, params []byte) error {
	frame := jsonrpc.NewFrame()
	defer frame.Free()
	frame.Buffer = jsonrpc.AppendRequest(frame.Buffer, id, method, params)
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.isOver() {
		return ErrFinished
	}
	return c.reply.Notify(frame)
}

// CloseStream ends the connection of the reply while the call continues, if the client can
// resume the stream. If retry isn't 0, the client is asked to reconnect after that time.
func (c *Call) CloseStream(retry time.Duration) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if reply, ok := c.reply.(StreamCloser); ok && !c.answered {
		reply.CloseStream(retry)
	}
}

// Progress reports progress to a client that asked for it. A total of 0 means that the
// total is unknown. Progress must increase, so a value that isn't above the last one is
// dropped, as is a value that JSON can't represent.
func (c *Call) Progress(progress, total float64, message string) error {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.isOver() {
		return ErrFinished
	}
	token := c.arrival.Message.Meta.ProgressToken
	if token == nil || token[0] != '"' && (token[0] < '-' || token[0] > '9') {
		return nil
	}
	if c.progressed && progress <= c.progress || !finite(progress) {
		return nil
	}
	c.progressed, c.progress = true, progress
	frame := jsonrpc.NewFrame()
	defer frame.Free()
	b := append(frame.Buffer, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":`...)
	b = append(b, token...)
	b = append(b, `,"progress":`...)
	b = strconv.AppendFloat(b, progress, 'f', -1, 64)
	if total != 0 && finite(total) {
		b = append(b, `,"total":`...)
		b = strconv.AppendFloat(b, total, 'f', -1, 64)
	}
	if message != "" && c.facts.Version >= spec.Version20250326 {
		b = append(b, `,"message":`...)
		b = codec.AppendQuote(b, message)
	}
	frame.Buffer = append(b, "}}"...)
	return c.send(frame)
}

func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }

// Log sends a log message if the client wants messages of this severity. Data is raw JSON.
// The logger is named after the tool, prompt or resource.
func (c *Call) Log(severity spec.Severity, data []byte) error {
	if !c.facts.Logs(severity) {
		return nil
	}
	b := append([]byte(`{"level":"`), severity.String()...)
	b = append(b, '"')
	if subject := c.subject(); subject != "" {
		b = codec.AppendQuote(append(b, `,"logger":`...), subject)
	}
	b = append(append(b, `,"data":`...), data...)
	return c.Notify("notifications/message", append(b, '}'))
}

// subject returns the name of the tool or prompt, or the URI of the resource.
func (c *Call) subject() string {
	if c.facts.Input.URI != "" || c.operation == nil || c.facts.Input.Completing != nil {
		return c.facts.Input.URI
	}
	return c.operation.Key
}

// send sends a notification. The caller holds the lock.
func (c *Call) send(frame *jsonrpc.Frame) error {
	if c.isOver() {
		return ErrFinished
	}
	err := c.reply.Notify(frame)
	if !c.facts.Version.Modern() || errors.Is(err, ErrNoStream) {
		return nil // the call of a legacy client continues when the client disconnects
	}
	return err
}

// isOver reports whether the call was answered or canceled and so can't send anything. The
// caller holds the lock.
func (c *Call) isOver() bool {
	table := c.table
	return c.answered || table != nil && !table.runs(c)
}
