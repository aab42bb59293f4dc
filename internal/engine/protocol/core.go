// Package protocol serves messages of both eras of MCP. The modern era is version
// 2026-07-28: each message states its version and stands alone, without a session. The
// legacy era, up to 2025-11-25, begins with a handshake.
//
// A message passes these steps:
//
//	Classify  era
//	Serve     envelope → version → headers              (modern only)
//	Dispatch  method → registry → operation → result    (both eras)
//
// Transports pass modern messages to [Core.Serve]. Package legacy keeps the sessions of
// older clients and calls [Core.Dispatch]. The only state that this package keeps about
// clients is the open streams of subscriptions/listen.
//
// The package knows handlers only as the operations in its [Registry]. Definitions and
// results have their newest shape; package spec converts them for older clients.
package protocol

import (
	"context"
	"fmt"
	"net/http"
	"runtime/debug"
	"slices"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/changes"
	"github.com/bowline-mcp/bowline/internal/engine/fault"
	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/engine/throttle"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/requestlog"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// Config configures a core. All fields are required unless they say otherwise.
type Config struct {
	Server       *call.Server
	Versions     spec.Versions
	Instructions string
	PageSize     int // how many items a page of a list has
	MaxPageSize  int // the largest that a client may request
	CacheHint    exchange.CacheHint

	// List wraps a function that returns a page of a list with guardrails. It may be nil.
	List func(do Do) *call.Operation
}

// Do is the function of an operation.
type Do = func(context.Context, *call.Call) (call.Result, error)

// A Core answers the messages for one server. It is shared by all of the server's
// routes and safe for concurrent use.
type Core struct {
	// Registry holds the tools, resources and prompts of the server.
	*Registry

	config        Config
	server        *call.Server
	modern        spec.Versions
	subscriptions subscriptions
}

// New returns a core with nothing registered.
func New(config Config) *Core {
	c := &Core{Registry: newRegistry(), config: config, server: config.Server, modern: config.Versions.Modern()}
	c.current.Load().methods = c.builtins()
	c.server.Lifecycle.AtDrain(c.subscriptions.close)
	return c
}

// Versions returns the versions that the core supports.
func (c *Core) Versions() spec.Versions { return c.config.Versions }

// Server returns the settings and services that the calls of the server share.
func (c *Core) Server() *call.Server { return c.server }

// Interest returns the subscriptions of a new legacy client, those of [Core.Topics]. The
// context and the request are those that begin the session; the request is nil on other
// transports. The caller ends the interest with the session.
func (c *Core) Interest(ctx context.Context, r *http.Request, client *request.Client) *changes.Interest {
	return c.interest(ctx, c.Topics(client), r)
}

// Topics returns the topics that a legacy client follows without asking for it: all without
// keys, but not those of an extension that it doesn't declare.
func (c *Core) Topics(client *request.Client) []*changes.Topic {
	return slices.DeleteFunc(slices.Clone(c.feed.Topics()), func(topic *changes.Topic) bool {
		return topic.Key != "" || topic.Extension != "" && !client.Declares(topic.Extension)
	})
}

// interest returns an interest in topics without keys for the client of a request.
func (c *Core) interest(ctx context.Context, topics []*changes.Topic, r *http.Request) *changes.Interest {
	var client *throttle.Key
	if r != nil {
		client = new(c.server.Shares.Client(r))
	}
	return c.feed.Interest(topics, exchange.PrincipalFrom(ctx).ID, &c.server.Shares.Memory, client)
}

// Serve answers a modern message.
func (c *Core) Serve(ctx context.Context, a *call.Arrival, r call.Reply) {
	m, id := &a.Message, a.Message.ID
	if m.Kind == jsonrpc.Notification {
		c.serveNotification(ctx, a, r)
		return
	}
	refusal := c.gates(a)
	peer := call.Peer{Client: request.Client{Version: spec.Newest, Info: m.Meta.ClientInfo, Capabilities: m.Meta.ClientCapabilities}}
	switch {
	case refusal != nil:
	case string(m.Method) == "subscriptions/listen":
		refusal = c.listen(ctx, a, r)
	case m.Meta.LogLevel == nil:
		c.Dispatch(ctx, a, peer, r)
	default:
		if peer.Log, refusal = logLevel(m.Meta.LogLevel); refusal == nil {
			c.Dispatch(ctx, a, peer, r)
		}
	}
	if refusal != nil {
		call.Refuse(id, refusal, spec.Newest, r)
	}
}

// logLevel returns the lowest severity of log messages that a client wants.
func logLevel(raw []byte) (spec.Severity, *exchange.Error) {
	level, _ := jsonrpc.Text(raw)
	severity := spec.ParseSeverity(level)
	if severity == spec.SeverityNone {
		return severity, fault.BadSeverity()
	}
	return severity, nil
}

// Dispatch answers a request of either era.
func (c *Core) Dispatch(ctx context.Context, a *call.Arrival, peer call.Peer, r call.Reply) {
	k := call.New(ctx, c.server, a, peer, r)
	if !k.Begin() {
		return
	}
	operation, refusal := c.find(ctx, k, &a.Message, c.current.Load())
	if refusal != nil {
		k.Refuse(operation, refusal)
		return
	}
	k.Run(operation)
}

// serveNotification serves a modern notification. Only HTTP answers it, with a status.
func (c *Core) serveNotification(ctx context.Context, a *call.Arrival, r call.Reply) {
	m := &a.Message
	if claim := m.Meta.ProtocolVersion; claim != nil && a.HTTP != nil {
		if refusal := c.checkClaim(claim, a.HTTP.Header); refusal != nil {
			call.Refuse(nil, refusal, spec.Newest, r)
			return
		}
	}
	c.Notified(ctx, a, call.Peer{Client: request.Client{Version: spec.Newest, Info: m.Meta.ClientInfo, Capabilities: m.Meta.ClientCapabilities}}, r)
}

// Notified serves a notification of either era: it cancels a call, or calls the listener.
func (c *Core) Notified(ctx context.Context, a *call.Arrival, peer call.Peer, r call.Reply) {
	m := &a.Message
	defer r.Finish(call.Answer{Status: http.StatusAccepted})
	if string(m.Method) == "notifications/cancelled" {
		if !a.Table.Cancel(m.RequestID) && peer.Elsewhere != nil && m.RequestID != nil {
			peer.Elsewhere(m.RequestID)
		}
		return
	}
	listener := c.current.Load().listeners[string(m.Method)]
	if listener == nil {
		return
	}
	k := call.NewNotification(ctx, c.server, a, peer)
	ctx = requestlog.With(ctx, k)
	defer func() {
		if value := recover(); value != nil {
			c.server.Logger.ErrorContext(ctx, "a handler panicked", "method", string(m.Method), "panic", fmt.Sprint(value), "stack", string(debug.Stack()))
		}
	}()
	listener(ctx, k)
}

// unsupported returns the error for a version that the server doesn't support. A server
// without modern versions lists its legacy versions, so that a client can fall back.
func (c *Core) unsupported(requested []byte) *exchange.Error {
	if len(c.modern) == 0 {
		return fault.UnsupportedVersion(c.config.Versions.Legacy(), requested)
	}
	return fault.UnsupportedVersion(c.modern, requested)
}

// NoHandshake returns the error for a message of an older client if the server supports only
// modern versions. Older clients show its text to people.
func (c *Core) NoHandshake(m *jsonrpc.Message) *exchange.Error {
	if m.Kind == jsonrpc.Batch || m.Kind == jsonrpc.Response {
		return fault.InvalidRequest("send one request or notification")
	}
	requested, _ := jsonrpc.Text(spec.Lookup(m.Params, "protocolVersion")) // if it is initialize
	refusal := fault.UnsupportedVersion(c.modern, requested)
	refusal.Message = fmt.Sprintf("This server supports only the protocol versions %s, which have no handshake", c.modern.AppendNames(nil))
	return refusal
}
