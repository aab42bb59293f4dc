package call

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bowline-mcp/bowline/internal/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/request"
	"github.com/bowline-mcp/bowline/internal/seal"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// A Server is what the calls of one server have in common. All fields are required
// that don't say otherwise.
type Server struct {
	Scope     string           // tells what is sealed for this server from what is sealed for others
	Info      *spec.ServerInfo // of results
	Timeout   time.Duration    // of a call
	Lifecycle *Lifecycle
	Seal      *seal.Ring                     // for the states of calls
	Address   func(*http.Request) netip.Addr // of the client
	Principal func(context.Context) string   // who a request is made for; "" for the anonymous
	Logger    *slog.Logger

	// Listening reports whether Over is to be told of calls whose handlers have returned and
	// which were answered. It must not keep them. Nil is for never.
	Listening func() bool
	Over      func(call *Call, ending Ending)

	numbers   atomic.Uint64 // of calls and streams, for the log
	watchdogs sync.Pool
}

// Number returns the next number of a call or stream, for the log.
func (s *Server) Number() uint64 { return s.numbers.Add(1) }

// A Call is one request being served.
type Call struct {
	ctx       Context // of the handler
	server    *Server
	peer      Peer
	reply     Reply
	table     *Table        // nil on modern HTTP
	http      *http.Request // nil on other transports
	id        []byte        // raw
	method    []byte
	params    []byte     // raw object, or nil
	meta      []byte     // likewise
	arrival   *Arrival   // for the goroutine that serves it; another message may be in it when the call is over
	operation *Operation // nil until it is known
	input     request.Input
	result    Result
	number    uint64
	start     time.Time // when it came
	timeout   time.Duration
	problem   error // why it fails
	watchdog  *watchdog

	lock       sync.Mutex // guards what follows, and the use of reply
	values     map[string]any
	answered   bool
	late       chan struct{} // closed when the call was answered at its deadline, nil before that
	asking     *asking       // nil unless the client is asked something
	outcome    Outcome
	progressed bool    // whether any progress was sent
	progress   float64 // the last one
	returned   bool    // whether the handler has
	abandoned  bool    // whether the log counts the handler as one that hangs
}

var _ request.Call = (*Call)(nil)

// New returns the call of a request.
func New(ctx context.Context, server *Server, a *Arrival, peer Peer, reply Reply) *Call {
	m := &a.Message
	c := &Call{
		server: server, arrival: a, peer: peer, reply: reply, number: server.numbers.Add(1), start: time.Now(), timeout: server.Timeout, table: a.Table, http: a.HTTP,
		id: m.ID, method: m.Method, params: m.Params, meta: m.Meta.Raw,
	}
	c.ctx.Context, c.ctx.lifecycle = ctx, server.Lifecycle
	return c
}

// Heard returns the call of a notification, which is over: nothing can be sent.
func Heard(ctx context.Context, server *Server, a *Arrival, peer Peer) *Call {
	c := New(ctx, server, a, peer, nil)
	c.answered = true
	return c
}

// Message returns the request, for the goroutine that serves it.
func (c *Call) Message() *jsonrpc.Message { return &c.arrival.Message }

// Peer returns the client.
func (c *Call) Peer() *Peer { return &c.peer }

// Key returns the name or the URI, or template, of what the call is for; "" if it is
// for nothing that there is.
func (c *Call) Key() string {
	if c.operation == nil {
		return ""
	}
	return c.operation.Key
}

// Logger returns the server's logger.
func (c *Call) Logger() *slog.Logger { return c.server.Logger }

// What follows is for the request of a handler.

// Context returns the context that the call came with: values of its transport.
func (c *Call) Context() context.Context { return c.ctx.Context }

// Version returns the version that the client speaks.
func (c *Call) Version() spec.Version { return c.peer.Version }

// Method returns the method.
func (c *Call) Method() string { return string(c.method) }

// Params returns the raw params, nil if there are none.
func (c *Call) Params() []byte { return c.params }

// Meta returns the raw _meta, nil if there is none.
func (c *Call) Meta() []byte { return c.meta }

// Client returns what the client says of itself.
func (c *Call) Client() []byte { return c.peer.Info }

// Capabilities returns what the client says that it can do.
func (c *Call) Capabilities() []byte { return c.peer.Capabilities }

// Session returns the id of the client's session, "" if it has none.
func (c *Call) Session() string { return c.peer.Session }

// HTTP returns the request that carried the message, nil on other transports.
func (c *Call) HTTP() *http.Request { return c.http }

// Address returns the address that the client calls from, invalid on other transports.
func (c *Call) Address() netip.Addr {
	if c.http == nil {
		return netip.Addr{}
	}
	return c.server.Address(c.http)
}

// Input returns what was asked for, as far as it was read.
func (c *Call) Input() *request.Input { return &c.input }

// Result returns the handler's result, nil before it has returned.
func (c *Call) Result() request.Result {
	if c.result == nil {
		return nil
	}
	return c.result
}

// Gave sets the handler's result, which guardrails read from Result.
func (c *Call) Gave(result Result) { c.result = result }

// Set keeps a value for the rest of the request.
func (c *Call) Set(key string, value any) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.values == nil {
		c.values = map[string]any{}
	}
	c.values[key] = value
}

// Value returns what was set under a key, nil if nothing was.
func (c *Call) Value(key string) any {
	c.lock.Lock()
	defer c.lock.Unlock()
	return c.values[key]
}
