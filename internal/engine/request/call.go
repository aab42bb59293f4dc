// Package request connects the requests that handlers receive to the engine. The engine
// implements [Call]. The request types of framework/exchange, tools, resources, prompts and
// completion use it, and know nothing else about the engine.
package request

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"time"

	"github.com/bowline-mcp/bowline/internal/engine/binding"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// A Call is the running call behind a request. Several goroutines may use it, even after the
// call is over. Then the methods that send return an error.
type Call interface {
	Facts() *Facts
	Context() context.Context // the transport's
	Address() netip.Addr      // the client's, invalid if there is none
	Logger() *slog.Logger     // the server's; its lines name the request
	Result() Result           // the handler's, nil before it has returned

	Set(key string, value any)
	Value(key string) any

	// Progress, Notify and Log send a message before the answer. Params and data are raw
	// JSON. They return an error if the client has disconnected or the call is over.
	Progress(done, total float64, message string) error
	Notify(method string, params []byte) error
	Log(severity spec.Severity, data []byte) error
	CloseStream(retry time.Duration)

	// Ask returns the client's raw answers, in order, or an error that the handler must
	// return.
	Ask(ctx context.Context, questions []Question) ([][]byte, error)
	RefuseAnswer(key, reason string) // to a question
	Kept(key string) []byte          // raw JSON, nil if none was kept
	Keep(key string, raw []byte)     // until the last round of the call
}

// Facts are what a call knows of its request. Only Input changes while the call runs.
type Facts struct {
	Client
	Method []byte
	Params []byte        // raw object, or nil
	Meta   []byte        // raw object, or nil
	HTTP   *http.Request // nil on other transports
	Input  Input         // the decoded params
}

// A Client is what is known of a client.
type Client struct {
	Version      spec.Version
	Log          spec.Severity // the lowest severity of log messages that the client wants
	Info         []byte        // raw Implementation, or nil
	Capabilities []byte        // raw ClientCapabilities, or nil
	Session      string        // the session's id, empty in the modern era
}

// Declares reports whether the client declares an extension.
func (c *Client) Declares(extension string) bool {
	settings := spec.Lookup(c.Capabilities, "extensions", extension)
	return settings != nil && string(settings) != "null"
}

// Logs reports whether the client wants log messages of this severity.
func (c *Client) Logs(severity spec.Severity) bool {
	return c.Log != spec.SeverityNone && severity >= c.Log
}

// PrincipalKey is the key under which a context carries its *exchange.Principal.
type PrincipalKey struct{}

// A Request is the underlying type of exchange.Request.
type Request struct{ call Call }

// New returns the request of a call.
func New(call Call) Request { return Request{call} }

// Call returns the call of the request.
func (r *Request) Call() Call { return r.call }

// Text returns the value of a prompt's argument or of a template's variable. It logs a mistake
// if the name isn't declared.
func (r *Request) Text(name string) (value string, ok bool) {
	input := &r.call.Facts().Input
	if value, ok = input.Values[name]; !ok {
		input.Subject.Expect(r.call, name)
	}
	return value, ok
}

// An Input holds the decoded params of a request. Which fields are set depends on the method.
type Input struct {
	Subject    *Subject
	URI        string            // the resource to read
	Arguments  []byte            // raw object of a tool or prompt, nil if there are none
	Values     map[string]string // a prompt's arguments, or a template's variables
	Completing *Completing       // nil unless the method is completion/complete
	Misread    error             // set if a getter couldn't return a number; the model reads it
	Typed      bool              // whether the method Call of a typed tool runs
}

// BindTexts sets the fields of v, a pointer to a struct, that have the tag to the values. The
// error for a value that doesn't fit its field is a [*binding.ValueError]. Any other error is a
// [*Mistake].
func (i *Input) BindTexts(v any, tag string) error {
	var unknown []string
	err := binding.Set(v, tag, func(name string) (string, bool) {
		if !slices.Contains(i.Subject.Declared, name) {
			unknown = append(unknown, name)
		}
		value, ok := i.Values[name]
		return value, ok
	})
	_, unfit := errors.AsType[*binding.ValueError](err)
	switch {
	case err != nil && !unfit:
		return NewMistake("%s: Bind: %v", i.Subject.Of, err)
	case err == nil && unknown != nil:
		return i.Subject.Undeclared(v, unknown)
	}
	return err
}

// Completing is an argument that is being completed, with its value so far.
type Completing struct{ Argument, Value string }

// A Result is the result of a handler.
type Result interface {
	// Err returns the error of a tool result with isError set, and nil otherwise.
	Err() error

	// Size returns the length of the result in bytes of JSON, in its newest shape and
	// without the server's info.
	Size() int
}

// A Question is a question to the client of a call.
type Question struct {
	Key    string
	Method string
	Params []byte // raw object
	Early  bool   // whether the client may answer before it is asked
}
