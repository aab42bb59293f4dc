// Package call runs requests, such as one tools/call. A [Call] connects a handler with its
// client: it sends notifications, asks questions, and answers on a [Reply] of the
// transport. A [Table] tracks the running calls of a client, for example to cancel one. A
// [Lifecycle] counts the running calls of the program, to stop it.
//
// A call passes these steps:
//
//	Begin      refuse it if the program is stopping or the id is in use
//	Run        run the operation under a deadline; a panic becomes an error
//	conclude   answer once, with a question, an error or the result
//
// Calls are not reused, so a handler may keep its context and its request.
package call

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/changes"
	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/engine/seal"
	"github.com/bowline-mcp/bowline/internal/engine/throttle"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/requestlog"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// A Server holds the settings and services that the calls of one server share. All fields
// are required unless they say otherwise.
type Server struct {
	Scope     string           // binds sealed values to this server
	Info      *spec.ServerInfo // what the _meta of results says about the server
	Timeout   time.Duration    // how long a call may take, unless its operation sets another
	Lifecycle *Lifecycle
	Seal      *seal.Ring                     // seals the states of calls
	Address   func(*http.Request) netip.Addr // returns the client's address
	Principal func(context.Context) string   // the owner of a request's state; "" for anonymous clients
	Shares    *throttle.Shares               // what the clients of the program share
	Logger    *slog.Logger

	// Over is called after each call, once it was answered and its handler has returned or its
	// time is up, if Listening reports true. It must not keep the call. Listening may be nil.
	Listening func() bool
	Over      func(call *Call, ending Ending)

	// Typed returns the result of another type in which a call ends, or why the call can't end
	// in it.
	Typed func(call *Call, typed *exchange.TypedResult) (Result, error)

	watchdogs watchdogs
	clients   clientNames
}

// A Call is one request being served.
type Call struct {
	incoming
	ctx       Context    // the context of the handler
	operation *Operation // nil until it is found
	result    Result
	start     time.Time
	timeout   time.Duration
	watchdog  *watchdog

	lock       sync.Mutex // guards the fields below and the use of reply
	asking     *asking    // nil unless the handler asks the client
	progress   float64    // the last that was reported
	progressed bool       // whether any progress was sent
	answered   bool
	outcome    exchange.Outcome // once answered
	problem    error            // why the outcome isn't ok, once answered
	reported   bool             // whether the log has the outcome
	returned   bool             // whether the handler has returned
	abandoned  bool             // whether the log says that the handler hangs
}

var _ request.Call = (*Call)(nil)

// New returns the call of a request.
func New(ctx context.Context, server *Server, a *Arrival, peer Peer, reply Reply) *Call {
	m := &a.Message
	c := &Call{
		incoming: incoming{
			server: server, arrival: a, reply: reply, table: a.Table, id: m.ID, asker: peer.Asker, interest: peer.Interest,
			facts: request.Facts{Client: peer.Client, Method: m.Method, Params: m.Params, Meta: m.Meta.Raw, HTTP: a.HTTP},
			logID: requestlog.NewID(),
		},
		start: time.Now(), timeout: server.Timeout,
	}
	c.ctx.Context, c.ctx.lifecycle, c.ctx.call = ctx, server.Lifecycle, c
	return c
}

// NewNotification returns a call for a client's notification. It is already over, so it
// can't send anything.
func NewNotification(ctx context.Context, server *Server, a *Arrival, peer Peer) *Call {
	c := New(ctx, server, a, peer, nil)
	c.answered = true
	return c
}

// Key returns the name, URI or template of the operation, or "" if none was found.
func (c *Call) Key() string {
	if c.operation == nil {
		return ""
	}
	return c.operation.Key
}

// Context returns the context of the transport.
func (c *Call) Context() context.Context { return c.ctx.Context }

// Result returns the handler's result, nil before it has returned.
func (c *Call) Result() request.Result { return c.result }

// SetResult sets the handler's result, so that guardrails can read it from Result.
func (c *Call) SetResult(result Result) { c.result = result }

// Set keeps a value for the rest of the request.
func (c *Call) Set(key string, value any) {
	c.ctx.lock.Lock()
	defer c.ctx.lock.Unlock()
	if c.ctx.values == nil {
		c.ctx.values = map[string]any{}
	}
	c.ctx.values[key] = value
}

// Value returns the value of a key, or nil.
func (c *Call) Value(key string) any {
	c.ctx.lock.Lock()
	defer c.ctx.lock.Unlock()
	return c.ctx.values[key]
}

// An incoming request is a message, its client, and the reply for its answer.
type incoming struct {
	server   *Server
	facts    request.Facts
	asker    Asker             // nil if the client can't be asked while the call runs
	interest *changes.Interest // nil if the client can't subscribe
	reply    Reply
	table    *Table // nil on modern HTTP
	id       []byte // raw
	logID    requestlog.ID
	arrival  *Arrival // used only by the goroutine that serves the call; the transport reuses it afterwards
}

// Message returns the request. Only the goroutine that serves the request may use it.
func (r *incoming) Message() *jsonrpc.Message { return &r.arrival.Message }

// Facts returns what is known of the request.
func (r *incoming) Facts() *request.Facts { return &r.facts }

// LogID returns the id of the request in the log.
func (r *incoming) LogID() requestlog.ID { return r.logID }

// Interest returns the client's subscriptions, nil if it can't have any.
func (r *incoming) Interest() *changes.Interest { return r.interest }

// Logger returns the server's logger. Its lines name the call, whatever their context.
func (c *Call) Logger() *slog.Logger { return requestlog.Bind(&c.ctx, c.server.Logger) }

// Address returns the address of the client, invalid on other transports than HTTP.
func (r *incoming) Address() netip.Addr {
	if r.facts.HTTP == nil {
		return netip.Addr{}
	}
	return r.server.Address(r.facts.HTTP)
}
