package legacy

import (
	"context"
	"net/http"
	"sync/atomic"

	"github.com/bowline-mcp/bowline/internal/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/protocol"
	"github.com/bowline-mcp/bowline/internal/transport"
)

// A guest is the session of a byte stream, which the process itself is.
type guest struct {
	wing   *Wing
	client atomic.Pointer[client] // nil before initialize
}

// Open begins the session of a byte stream.
func (w *Wing) Open() transport.Guest { return &guest{wing: w} }

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
		g.initialize(a, r)
	case client != nil:
		g.wing.serve(ctx, a, client, r)
	case isRequest(m, "ping"):
		answer(m, []byte("{}"), r)
	case m.Kind == jsonrpc.Request, m.Kind == jsonrpc.Batch:
		core.Refuse(m.ID, refuse(http.StatusBadRequest,
			"Invalid request: begin with initialize, or state the protocol version in _meta"), protocol.VersionUnknown, r)
	default:
		core.Hear(ctx, a, protocol.Peer{Version: protocol.NewestLegacy}, r)
	}
}

// initialize agrees on a version. What the client sent is copied, since the line
// goes away.
func (g *guest) initialize(a *protocol.Arrival, r protocol.Reply) {
	peer, fault := agree(g.wing.core, &a.Message)
	if fault != nil {
		g.wing.core.Refuse(a.Message.ID, fault, protocol.VersionUnknown, r)
		return
	}
	introduced := &client{}
	introduced.introduce(peer, g.wing.config)
	g.client.Store(introduced)
	answer(&a.Message, g.wing.core.Welcome(peer.Version, true), r)
}
