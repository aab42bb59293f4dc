// Package requesttest provides a fake call for the tests of request types.
package requesttest

import (
	"cmp"
	"context"
	"log/slog"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// A Call is a call without an engine. It returns what its fields say, and records what a
// handler sends.
type Call struct {
	Received request.Facts // its version is the newest if it has none
	Ctx      context.Context
	From     netip.Addr     // the client's address
	Returned request.Result // the handler's

	// Answers are the client's answers, by the keys of the questions. Unanswered is the
	// error of Ask if one is missing.
	Answers    map[string]string
	Unanswered error

	// Gone is the error of all methods that send.
	Gone error

	lock   sync.Mutex // guards sent and the version
	sent   []string
	values sync.Map
	kept   sync.Map
}

var _ request.Call = (*Call)(nil)

// Request returns the request of the call.
func (c *Call) Request() request.Request { return request.New(c) }

// Sent returns the messages of the handler, in order: the method of a notification and its
// params, "log" and "progress" with theirs, "retry" with the time of a closed stream, and
// "refuse" with the key of an answer and the reason.
func (c *Call) Sent() []string {
	c.lock.Lock()
	defer c.lock.Unlock()
	return slices.Clone(c.sent)
}

func (c *Call) send(what string) error {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.sent = append(c.sent, what)
	return c.Gone
}

// Facts returns what was received.
func (c *Call) Facts() *request.Facts {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.Received.Version = cmp.Or(c.Received.Version, spec.Newest)
	return &c.Received
}

// Context returns Ctx, or the background context if it is nil.
func (c *Call) Context() context.Context {
	if c.Ctx == nil {
		return context.Background()
	}
	return c.Ctx
}

// Address returns the address of the client.
func (c *Call) Address() netip.Addr { return c.From }

// Logger returns a logger that discards everything.
func (*Call) Logger() *slog.Logger { return slog.New(slog.DiscardHandler) }

// Result returns the result of the handler.
func (c *Call) Result() request.Result { return c.Returned }

// Set keeps a value.
func (c *Call) Set(key string, value any) { c.values.Store(key, value) }

// Value returns a value that was set.
func (c *Call) Value(key string) any {
	value, _ := c.values.Load(key)
	return value
}

// Progress records the message.
func (c *Call) Progress(_, _ float64, message string) error { return c.send("progress " + message) }

// Notify records a notification.
func (c *Call) Notify(method string, params []byte) error {
	return c.send(method + " " + string(params))
}

// Log records a log message.
func (c *Call) Log(severity spec.Severity, data []byte) error {
	return c.send("log " + severity.String() + " " + string(data))
}

// CloseStream records the time after which the client should reconnect.
func (c *Call) CloseStream(retry time.Duration) { _ = c.send("retry " + retry.String()) }

// Ask returns the answers, or Unanswered if one is missing.
func (c *Call) Ask(_ context.Context, questions []request.Question) ([][]byte, error) {
	answers := make([][]byte, len(questions))
	for i, question := range questions {
		answer, ok := c.Answers[question.Key]
		if !ok {
			return nil, c.Unanswered
		}
		answers[i] = []byte(answer)
	}
	return answers, nil
}

// RefuseAnswer records that an answer was refused.
func (c *Call) RefuseAnswer(key, reason string) { _ = c.send("refuse " + key + " " + reason) }

// Kept returns a raw value, or nil.
func (c *Call) Kept(key string) []byte {
	value, _ := c.kept.Load(key)
	kept, _ := value.([]byte)
	return kept
}

// Keep keeps a raw value.
func (c *Call) Keep(key string, value []byte) { c.kept.Store(key, value) }
