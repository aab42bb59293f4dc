package legacy

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/changes"
	"github.com/bowline-mcp/bowline/internal/engine/fault"
	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/engine/transport"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// A connectionSession is the session of a [transport.Connection]. On stdio, it lasts as
// long as the process.
type connectionSession struct {
	handler *Handler
	id      string // "" on stdio
	push    func(*jsonrpc.Frame) error
	client  atomic.Pointer[client] // nil before initialize

	lock     sync.Mutex
	follower *changes.Follower // nil before initialize
	closed   bool
}

// Open begins the session of a [transport.Connection].
func (h *Handler) Open(session string, push func(*jsonrpc.Frame) error) transport.Session {
	return &connectionSession{handler: h, id: session, push: push}
}

// Close ends the session.
func (s *connectionSession) Close() {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.closed = true
	if s.follower != nil {
		s.follower.Stop()
		s.client.Load().peer.Interest.End()
	}
}

// Version returns the negotiated version.
func (s *connectionSession) Version() spec.Version {
	if client := s.client.Load(); client != nil {
		return client.peer.Version
	}
	return spec.VersionUnknown
}

// Serve serves a message.
func (s *connectionSession) Serve(ctx context.Context, a *call.Arrival, r call.Reply) {
	m, core := &a.Message, s.handler.core
	client := s.client.Load()
	switch {
	case isRequest(m, "initialize"):
		s.initialize(ctx, a, r)
	case client != nil:
		s.handler.serve(ctx, a, client.peer.Version, client, r)
	case isRequest(m, "ping"):
		answer(m, []byte("{}"), r)
	case m.Kind == jsonrpc.Batch:
		call.Refuse(nil, batchWithoutSession(), spec.VersionUnknown, r)
	case m.Kind == jsonrpc.Request:
		call.Refuse(m.ID, fault.WithStatus(http.StatusBadRequest,
			"Invalid request: begin with initialize, or state the protocol version in _meta"), spec.VersionUnknown, r)
	default:
		core.Notified(ctx, a, call.Peer{Client: request.Client{Version: spec.NewestLegacy}}, r)
	}
}

// initialize negotiates a version and sets the connection's client.
func (s *connectionSession) initialize(ctx context.Context, a *call.Arrival, r call.Reply) {
	core := s.handler.core
	peer, refusal := negotiate(core, &a.Message)
	if refusal != nil {
		call.Refuse(a.Message.ID, refusal, spec.VersionUnknown, r)
		return
	}
	peer.Session, peer.Interest = s.id, core.Interest(ctx, a.HTTP, &peer.Client)
	initialized := &client{}
	initialized.initialize(peer, s.handler.config, nil)
	if before := s.client.Load(); before != nil {
		initialized.questions = before.questions // some may still be open
		before.peer.Interest.End()
	}
	s.client.Store(initialized)
	follower := core.Feed().Follow(peer.Interest, func(change changes.Change) error { return s.notify(ctx, change) }, func(err error) { lost(ctx, core, err) })
	answer(&a.Message, core.Welcome(peer.Version, true), r)
	s.follow(follower)
}

// follow begins a follower, which replaces the one that an earlier initialize began.
func (s *connectionSession) follow(follower *changes.Follower) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.follower != nil {
		s.follower.Stop()
	}
	if s.follower = follower; s.closed {
		follower.Stop()
		s.client.Load().peer.Interest.End()
		return
	}
	follower.Begin()
}

// notify notifies the client of a change if the list or resource is visible to it.
func (s *connectionSession) notify(ctx context.Context, change changes.Change) error {
	frame := jsonrpc.NewFrame()
	defer frame.Free()
	b := s.handler.core.AppendChange(ctx, frame.Buffer, change, nil)
	if b == nil {
		return nil
	}
	frame.Buffer = b
	return s.push(frame)
}
