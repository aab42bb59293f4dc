package protocol

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bowline-mcp/bowline/internal/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/seal"
)

// Config is what a core is made of. All fields are required that don't say otherwise.
type Config struct {
	Scope        string // tells what is sealed for this server from what is sealed for others
	Versions     Versions
	Info         []byte // raw Implementation, in its newest shape
	Instructions string
	Timeout      time.Duration // of a call
	PageSize     int           // of lists
	MaxPageSize  int           // that a client may ask for
	Lifecycle    *Lifecycle
	Seal         *seal.Ring                     // for cursors and the states of calls
	Address      func(*http.Request) netip.Addr // of the client
	Principal    func(context.Context) string
	Logger       *slog.Logger

	// List stands around the lists, nil if nothing does. It is called under a
	// watchdog; page gives the encoded page.
	List func(call *Call, page func() []byte) ([]byte, *Fault)

	// Observer is told of each call that is over, nil if nobody is.
	Observer Observer
}

// A Core answers the messages for one server. It is shared by all of the server's
// routes and safe for concurrent use.
type Core struct {
	registries
	versions  Versions
	modern    Versions
	identity  identity
	config    Config
	lifecycle *Lifecycle
	logger    *slog.Logger
	idle      sync.Pool // calls that are over
	bus       Bus
	courier   courier
	streams   streams
	serving   atomic.Bool // whether changes are published

	listings struct{ tools, resources, templates, prompts listing }
	numbers  atomic.Uint64 // of calls
	uris     atomic.Int64  // bytes of those that clients are told of
}

// New returns a core with nothing registered.
func New(config Config) *Core {
	c := &Core{
		versions: config.Versions, modern: config.Versions.Modern(), identity: newIdentity(config.Info),
		config: config, lifecycle: config.Lifecycle, logger: config.Logger, bus: &hub{},
	}
	cursors := "cursor of " + config.Scope + " "
	c.listings.tools = listing{"tools/list", "tools", cursors + "tools", downgradeTool}
	c.listings.resources = listing{"resources/list", "resources", cursors + "resources", downgradeItem}
	c.listings.templates = listing{"resources/templates/list", "resourceTemplates", cursors + "templates", downgradeItem}
	c.listings.prompts = listing{"prompts/list", "prompts", cursors + "prompts", downgradeItem}
	c.current.Store((&Registry{}).clone())
	c.lifecycle.AtDrain(c.streams.close)
	return c
}

// Versions returns the versions that the core speaks.
func (c *Core) Versions() Versions { return c.versions }

// Address returns the address of the client that sent a request, an invalid one for a
// nil request.
func (c *Core) Address(r *http.Request) netip.Addr {
	if r == nil {
		return netip.Addr{}
	}
	return c.config.Address(r)
}

// Changes returns the bus that carries the server's changes.
func (c *Core) Changes() Bus { return c.bus }

// Opened says that the server is complete: what is registered or taken out from now on
// is a change.
func (c *Core) Opened() { c.serving.Store(true) }

// Principal returns who a request of that context is made for, as it tells principals
// apart; "" for the anonymous.
func (c *Core) Principal(ctx context.Context) string { return c.config.Principal(ctx) }

// Logger returns the server's logger.
func (c *Core) Logger() *slog.Logger { return c.logger }

// Timeout returns how long a call may take that has no timeout of its own.
func (c *Core) Timeout() time.Duration { return c.config.Timeout }

// Lifecycle returns what the core shares with the program's others.
func (c *Core) Lifecycle() *Lifecycle { return c.lifecycle }

// Serve answers a modern message.
func (c *Core) Serve(ctx context.Context, a *Arrival, r Reply) {
	if a.Message.Kind == jsonrpc.Notification {
		c.hear(ctx, a, r)
		return
	}
	if fault := c.gates(a); fault != nil {
		c.Refuse(a.Message.ID, fault, Newest, r)
		return
	}
	if string(a.Message.Method) == "subscriptions/listen" {
		c.listen(ctx, a, r)
		return
	}
	meta := &a.Message.Meta
	peer := Peer{Version: Newest, Info: meta.ClientInfo, Capabilities: meta.ClientCapabilities}
	if meta.LogLevel != nil {
		level, _ := jsonrpc.Text(meta.LogLevel)
		if peer.Log = ParseSeverity(level); peer.Log == SeverityNone {
			c.Refuse(a.Message.ID, BadSeverity(), Newest, r)
			return
		}
	}
	c.Dispatch(ctx, a, peer, r)
}

// Dispatch answers a request of either era.
func (c *Core) Dispatch(ctx context.Context, a *Arrival, peer Peer, r Reply) {
	call := c.take()
	call.parent, call.arrival, call.peer, call.reply, call.timeout = ctx, a, peer, r, c.config.Timeout
	observed := call.Observed()
	if observed || c.logger.Enabled(ctx, slog.LevelDebug) {
		call.start = time.Now() // it costs more than answering with a list
	}
	if !c.lifecycle.begin() {
		c.Refuse(a.Message.ID, shuttingDown(), peer.Version, r)
		return
	}
	if a.Calls != nil {
		switch a.Calls.begin(call) {
		case admitted:
		case idInUse:
			c.lifecycle.end()
			c.Refuse(a.Message.ID, idTaken(a.Message.ID), peer.Version, r)
			return
		case cancelled:
			c.lifecycle.end()
			r.Finish(http.StatusAccepted, nil)
			return
		}
	}
	c.route(call)
	var ending Ending
	if observed {
		ending = call.ending()
	}
	if call.ctx != nil {
		call.ctx.end(context.Canceled)
	}
	c.log(call)
	if observed {
		c.config.Observer.Over(call, ending)
	}
	if call.shared {
		a.Kept = true
		return
	}
	c.give(call)
}

// hear takes a modern notification. There is no answer but on HTTP, where the
// status says whether it was accepted.
func (c *Core) hear(ctx context.Context, a *Arrival, r Reply) {
	m := &a.Message
	if claim := m.Meta.ProtocolVersion; claim != nil && a.HTTP != nil {
		version, ok := jsonrpc.Text(claim)
		if !ok {
			c.Refuse(nil, badClaim(), Newest, r)
			return
		}
		if value := VersionHeader(a.HTTP.Header); value != "" && value != string(version) {
			c.Refuse(nil, headerMismatch("MCP-Protocol-Version is %.40q but the body says %.40q", value, version), Newest, r)
			return
		}
		if v := ParseVersion(version); !v.Modern() || !c.versions.Has(v) {
			c.Refuse(nil, c.unsupported(version), Newest, r)
			return
		}
	}
	meta := &m.Meta
	c.Hear(ctx, a, Peer{Version: Newest, Info: meta.ClientInfo, Capabilities: meta.ClientCapabilities}, r)
}

// Hear takes a notification of either era and passes it to whom it concerns.
func (c *Core) Hear(ctx context.Context, a *Arrival, peer Peer, r Reply) {
	m := &a.Message
	defer r.Finish(http.StatusAccepted, nil)
	if string(m.Method) == "notifications/cancelled" {
		a.Calls.Cancel(m.RequestID)
	} else if listener := c.current.Load().listeners[string(m.Method)]; listener != nil {
		c.guard(string(m.Method), func() { listener(ctx, a, peer) })
	}
}

// Refuse answers with an error before there is a call. The version, if known,
// decides how an id that is missing is written.
func (c *Core) Refuse(id []byte, fault *Fault, v Version, r Reply) {
	Refuse(id, fault, v, r)
}

// Refuse answers with an error for which no core is needed.
func Refuse(id []byte, fault *Fault, v Version, r Reply) {
	if id == nil && v != VersionUnknown && v <= Version20250618 {
		id = []byte("null") // these versions require the member
	}
	status := fault.Status
	if status == 0 {
		status = http.StatusOK
	}
	frame := jsonrpc.NewFrame()
	defer frame.Free()
	frame.Close(jsonrpc.AppendError(frame.Open(), id, fault.Code, fault.Message, fault.Data))
	r.Finish(status, frame)
}

// Malformed is the fault for bytes that [jsonrpc.Message.Scan] refused.
func Malformed(err error) *Fault { return scanFault(err) }

// unsupported is the fault for a version that isn't spoken here. A server of older
// versions alone names those, so that a client can fall back to their handshake.
func (c *Core) unsupported(requested []byte) *Fault {
	if len(c.modern) == 0 {
		return unsupportedVersion(c.versions.Legacy(), requested)
	}
	return unsupportedVersion(c.modern, requested)
}

// NoHandshake is the fault for a message of a client that begins with a handshake,
// when no such version is served. Older clients show its text to people.
func (c *Core) NoHandshake(m *jsonrpc.Message) *Fault {
	if m.Kind == jsonrpc.Batch || m.Kind == jsonrpc.Response {
		return invalidRequest("Invalid request: send one request or notification")
	}
	requested, _ := jsonrpc.Text(lookup(m.Params, []string{"protocolVersion"})) // of initialize
	fault := unsupportedVersion(c.modern, requested)
	fault.Message = fmt.Sprintf("This server speaks only the protocol versions %s, which have no handshake", c.modern.appendNames(nil))
	return fault
}
