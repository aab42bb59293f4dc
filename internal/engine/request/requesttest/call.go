// Package requesttest provides a fake call for the tests of request types.
package requesttest

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// Facts are the results of the methods of a [Call] with the same names. Raw JSON is a
// string here, "" for nil.
type Facts struct {
	Context      context.Context // context.Background() if it is nil
	Version      spec.Version    // the newest if it is zero
	Method       string
	Params       string
	Meta         string
	Client       string
	Capabilities string
	Session      string
	HTTP         *http.Request
	Address      netip.Addr
	Logger       *slog.Logger // nil discards the log
	Input        request.Input
	Result       request.Result
}

// A Call is a call without an engine. It returns its facts, and records what a handler
// sends.
type Call struct {
	Facts Facts

	// Answers are the client's answers, by the keys of the questions. Unanswered is the
	// error of Ask if one is missing.
	Answers    map[string]string
	Unanswered error

	// Least is the lowest severity of messages that the client wants. Zero means all.
	Least spec.Severity

	// Gone is the error of all methods that send.
	Gone error

	lock   sync.Mutex // guards sent
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

func raw(text string) []byte {
	if text == "" {
		return nil
	}
	return []byte(text)
}

// Context returns the context of the facts.
func (c *Call) Context() context.Context {
	if c.Facts.Context == nil {
		return context.Background()
	}
	return c.Facts.Context
}

// Version returns the version of the facts.
func (c *Call) Version() spec.Version { return cmp.Or(c.Facts.Version, spec.Newest) }

// Method returns the method.
func (c *Call) Method() string { return c.Facts.Method }

// Params returns the raw params.
func (c *Call) Params() []byte { return raw(c.Facts.Params) }

// Meta returns the raw _meta.
func (c *Call) Meta() []byte { return raw(c.Facts.Meta) }

// Client returns the raw Implementation.
func (c *Call) Client() []byte { return raw(c.Facts.Client) }

// Capabilities returns the raw capabilities.
func (c *Call) Capabilities() []byte { return raw(c.Facts.Capabilities) }

// Session returns the id of the session.
func (c *Call) Session() string { return c.Facts.Session }

// HTTP returns the request that carries the message.
func (c *Call) HTTP() *http.Request { return c.Facts.HTTP }

// Address returns the address of the client.
func (c *Call) Address() netip.Addr { return c.Facts.Address }

// Logger returns the logger of the server.
func (c *Call) Logger() *slog.Logger {
	if c.Facts.Logger == nil {
		return slog.New(slog.DiscardHandler)
	}
	return c.Facts.Logger
}

// Input returns the decoded params.
func (c *Call) Input() *request.Input { return &c.Facts.Input }

// Result returns the result of the handler.
func (c *Call) Result() request.Result { return c.Facts.Result }

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

// Logs reports whether the client wants messages of this severity.
func (c *Call) Logs(severity spec.Severity) bool { return severity >= c.Least }

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
		if answers[i] = raw(c.Answers[question.Key]); answers[i] == nil {
			return nil, c.Unanswered
		}
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
