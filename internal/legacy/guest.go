package legacy

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/bowline-mcp/bowline/internal/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/protocol"
	"github.com/bowline-mcp/bowline/internal/transport"
)

// A guest is the session of a stream of messages. On stdio, that is the process itself.
type guest struct {
	wing    *Wing
	session string // its id, "" on stdio
	push    func(*jsonrpc.Frame) error
	client  atomic.Pointer[client] // nil before initialize

	lock     sync.Mutex
	follower *protocol.Follower // nil before initialize
	closed   bool
}

// Open begins the session of a stream of messages.
func (w *Wing) Open(session string, push func(*jsonrpc.Frame) error) transport.Guest {
	return &guest{wing: w, session: session, push: push}
}

// Close ends the session.
func (g *guest) Close() {
	g.lock.Lock()
	defer g.lock.Unlock()
	g.closed = true
	if g.follower != nil {
		g.follower.Stop()
		g.client.Load().peer.Interest.End()
	}
}

// Version returns the version that was agreed on.
func (g *guest) Version() protocol.Version {
	if client := g.client.Load(); client != nil {
		return client.peer.Version
	}
	return protocol.VersionUnknown
}

// Serve serves a message.
func (g *guest) Serve(ctx context.Context, a *protocol.Arrival, r protocol.Reply) {
	m, core := &a.Message, g.wing.core
	client := g.client.Load()
	switch {
	case isRequest(m, "initialize"):
		g.initialize(ctx, a, r)
	case client != nil:
		g.wing.serve(ctx, a, client, r)
	case isRequest(m, "ping"):
		answer(m, []byte("{}"), r)
	case m.Kind == jsonrpc.Batch:
		core.Refuse(nil, loneBatch(), protocol.VersionUnknown, r)
	case m.Kind == jsonrpc.Request:
		core.Refuse(m.ID, refuse(http.StatusBadRequest,
			"Invalid request: begin with initialize, or state the protocol version in _meta"), protocol.VersionUnknown, r)
	default:
		core.Hear(ctx, a, protocol.Peer{Version: protocol.NewestLegacy}, r)
	}
}

// initialize agrees on a version. What the client sent is copied, since the line
// goes away.
func (g *guest) initialize(ctx context.Context, a *protocol.Arrival, r protocol.Reply) {
	core := g.wing.core
	peer, fault := agree(core, &a.Message)
	if fault != nil {
		core.Refuse(a.Message.ID, fault, protocol.VersionUnknown, r)
		return
	}
	peer.Session = g.session
	introduced := &client{}
	introduced.introduce(peer, g.wing.config)
	if before := g.client.Load(); before != nil {
		introduced.questions = before.questions // some may be open
		before.peer.Interest.End()
	}
	g.client.Store(introduced)
	follower := core.Follow(peer.Interest, func(change protocol.Change) error { return g.tell(ctx, change) }, core.Unreachable)
	answer(&a.Message, core.Welcome(peer.Version, true), r)
	g.follow(follower)
}

// follow lets a follower begin, in the place of that of an earlier initialize.
func (g *guest) follow(follower *protocol.Follower) {
	g.lock.Lock()
	defer g.lock.Unlock()
	if g.follower != nil {
		g.follower.Stop()
	}
	if g.follower = follower; g.closed {
		follower.Stop()
		g.client.Load().peer.Interest.End()
		return
	}
	follower.Begin()
}

// tell writes the notification of a change.
func (g *guest) tell(ctx context.Context, change protocol.Change) error {
	if !g.wing.core.Shows(ctx, change) {
		return nil
	}
	frame := jsonrpc.NewFrame()
	defer frame.Free()
	frame.Close(change.AppendNotification(frame.Open(), nil))
	return g.push(frame)
}
