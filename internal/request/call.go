// Package request is what the engine and the vocabulary share of a request that is
// being served: the [Call] that a handler's request works by. The engine implements
// it; the request types of framework/exchange, tools, resources, prompts and
// completion are made of it, and know nothing else of the engine.
package request

import (
	"context"
	"net/http"
	"net/netip"
	"time"

	"github.com/bowline-mcp/bowline/internal/spec"
)

// A Call is the call that a request belongs to. Its methods may be called by several
// goroutines, also when the call is over: then it sends nothing, and says so.
type Call interface {
	Context() context.Context // with the values of the transport
	Version() spec.Version
	Method() string
	Params() []byte       // raw object, or nil
	Meta() []byte         // raw object, or nil
	Client() []byte       // raw Implementation, or nil
	Capabilities() []byte // raw ClientCapabilities, or nil
	Session() string
	HTTP() *http.Request // nil on other transports
	Address() netip.Addr // of the client, invalid if there is none

	// Input is what was asked for, as far as it was read.
	Input() *Input

	// Result is what the handler gave, nil until then.
	Result() Result

	Set(key string, value any)
	Value(key string) any

	// What is sent before the answer. Params and data are raw JSON. The error says
	// that the client is gone, or that the call is over.
	Progress(done, total float64, message string) error
	Notify(method string, params []byte) error
	Logs(severity spec.Severity) bool
	Log(severity spec.Severity, data []byte) error
	CloseStream(retry time.Duration)

	// Ask returns the client's raw answers, in order, or the error that the handler
	// is to return.
	Ask(ctx context.Context, questions []Question) ([][]byte, error)
	RefuseAnswer(key, reason string) // to a question
	Kept(key string) []byte          // raw JSON, nil if nothing was kept
	Keep(key string, raw []byte)     // for the rounds of the call
}

// A Request is what exchange.Request is made of.
type Request struct{ call Call }

// New returns the request of a call.
func New(call Call) Request { return Request{call} }

// Call returns the call that the request belongs to.
func (r *Request) Call() Call { return r.call }

// An Input is what a request asks for. Which fields are set depends on the method.
type Input struct {
	Subject    *Subject          // that is called, read or got
	URI        string            // that is read
	Arguments  []byte            // raw object of a tool or prompt, nil if there are none
	Values     map[string]string // of a prompt's arguments, or of a template's variables
	Completing *Completing       // nil unless values are suggested
}

// A Subject is a tool, a prompt or a template, as requests for it may know it.
type Subject struct {
	Name      string
	Declared  []string  // the names that Values may have
	Validator Validator // of structs that arguments are bound to, nil for none
}

// Completing is an argument that is being completed, with its value so far.
type Completing struct{ Argument, Value string }

// A Validator checks a struct beyond what the schema says.
type Validator interface {
	Validate(v any) error
}

// A Result is what a handler gave.
type Result interface {
	// Err is what went wrong when the result itself says that something did: that of a
	// tool with isError set. It is nil otherwise.
	Err() error

	// Size is how many bytes of JSON the result has for clients of the newest version,
	// without who the server is.
	Size() int
}

// A Question is what the client is asked while a call runs.
type Question struct {
	Key    string
	Method string
	Params []byte // raw object
	Early  bool   // whether an answer counts that comes before the question was asked
}
