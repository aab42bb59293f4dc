package legacy

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"os"
	"slices"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/fault"
	"github.com/bowline-mcp/bowline/internal/engine/protocol"
	"github.com/bowline-mcp/bowline/internal/engine/resumption"
	"github.com/bowline-mcp/bowline/internal/engine/throttle"
	"github.com/bowline-mcp/bowline/internal/engine/transport"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// Post serves one message.
func (h *Handler) Post(ctx context.Context, a *call.Arrival, r transport.HTTPReply) {
	m := &a.Message
	v, refusal := h.headerVersion(a.HTTP)
	if isRequest(m, "initialize") && (refusal == nil || v != spec.VersionUnknown) { // initialize negotiates another version
		h.initialize(a, r)
		return
	}
	var s *session
	if refusal == nil && !h.config.Sessionless {
		s, refusal = h.session(a.HTTP, m)
	}
	switch {
	case refusal != nil:
		call.Refuse(m.AnswerID(), refusal, v, r)
	case s != nil:
		h.serveSession(ctx, a, s, r)
	case h.config.Sessionless:
		h.serve(ctx, a, v, nil, r)
	default: // a ping, which needs no session
		answer(m, []byte("{}"), r)
	}
}

// serveSession serves a message of a session. The session isn't idle meanwhile.
func (h *Handler) serveSession(ctx context.Context, a *call.Arrival, s *session, r transport.HTTPReply) {
	s.enter()
	defer s.leave()
	if m := &a.Message; m.Kind == jsonrpc.Batch || isRequest(m, "resources/subscribe") {
		s.follow(h.core) // the resource may change before the first stream
	}
	a.Table = &s.calls
	r.KeepEvents(s.streams)
	h.serve(ctx, a, s.peer.Version, &s.client, r)
}

// initialize begins a session.
func (h *Handler) initialize(a *call.Arrival, r transport.HTTPReply) {
	m := &a.Message
	peer, refusal := negotiate(h.core, m)
	if refusal == nil && h.core.Server().Lifecycle.Draining() {
		refusal = fault.ShuttingDown()
	}
	if refusal == nil && !h.config.Sessionless {
		var s *session
		if s, refusal = h.sessions.begin(peer, a.HTTP); refusal == nil {
			r.Header().Set("Mcp-Session-Id", s.sealed.ID)
		}
		delayed(a.HTTP, refusal)
	}
	if refusal != nil {
		call.Refuse(m.ID, refusal, peer.Version, r)
		return
	}
	answer(m, h.core.Welcome(peer.Version, !h.config.Sessionless), r)
}

// session returns the session of a request. If it returns neither a session nor an error,
// the request is a ping, which needs no session.
func (h *Handler) session(r *http.Request, m *jsonrpc.Message) (*session, *exchange.Error) {
	id := r.Header.Get("Mcp-Session-Id")
	if id == "" {
		if isRequest(m, "ping") {
			return nil, nil
		}
		if m.Kind == jsonrpc.Batch {
			return nil, batchWithoutSession()
		}
		return nil, fault.WithStatus(http.StatusBadRequest,
			"Invalid request: there is no Mcp-Session-Id; begin with initialize, or state the protocol version in _meta")
	}
	s, refusal := h.sessions.of(r, id)
	if refusal == nil && (isRequest(m, "resources/subscribe") || isRequest(m, "resources/unsubscribe")) {
		refusal = h.sessions.reread(r.Context(), s) // the error of a call would have the status 200
	}
	delayed(r, refusal)
	return s, refusal
}

// delayed delays the answer to a client that exceeds its share, without a lock.
func delayed(r *http.Request, refusal *exchange.Error) {
	if refusal != nil && refusal.Status == http.StatusTooManyRequests {
		throttle.Delay(r.Context())
	}
}

// Get serves a stream that a client opens to listen for messages outside of calls, or to
// resume a stream whose connection has ended.
func (h *Handler) Get(w http.ResponseWriter, r *http.Request, reply transport.GetReply) {
	s := h.owned(w, r)
	if s == nil {
		return
	}
	switch {
	case !reply.Accepted():
		transport.Refuse(h.core.Server().Logger, w, r, http.StatusNotAcceptable, "Accept must include text/event-stream.")
	default:
		var held throttle.Stream
		shares := h.core.Server().Shares
		if refusal := shares.Open(&held, r); refusal != nil {
			h.refuse(w, r, refusal)
			return
		}
		defer shares.Close(&held)
		s.enter()
		defer s.leave()
		h.sessions.listens(s)
		s.follow(h.core)
		h.stream(w, r, s, reply)
	}
}

// stream connects a client to one of its session's streams until the connection ends.
func (h *Handler) stream(w http.ResponseWriter, r *http.Request, s *session, reply transport.GetReply) {
	stream, after, err := s.streams.Open(r.Context(), r.Header.Get("Last-Event-ID"))
	if errors.Is(err, resumption.ErrUnknownEvent) { // after an error, a client would give up its session
		h.core.Server().Logger.DebugContext(r.Context(), "a client gets a new stream, because the session doesn't have the event of its Last-Event-ID, or has dropped it")
		stream, after, err = s.streams.Open(r.Context(), "")
	}
	switch {
	case errors.Is(err, resumption.ErrTooManyStreams):
		transport.Refuse(h.core.Server().Logger, w, r, http.StatusTooManyRequests, "The session has the maximum number of open streams; close one.")
		return
	case errors.Is(err, resumption.ErrEnded):
		transport.WriteStatus(w, r, http.StatusNoContent) // makes clients stop reconnecting
		transport.Drain(w, r)
		return
	case err != nil: // the store has logged why
		transport.RefuseError(h.core.Server().Logger, w, r, fault.TryAgain(limits.RetryStore, http.StatusServiceUnavailable,
			"The stream can't be resumed now, because the store of events fails; try again later"))
		return
	}
	reply.Open()
	stream.Connect(r.Context(), reply, after)
	s.catchUp(h.core)
	if h.core.Server().Lifecycle.Draining() { // EndStreams may have run before; and after a refusal, go-sdk would give up its session
		h.EndStreams()
	}
	err = reply.Wait(r.Context())
	stream.Release(reply)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		h.core.Server().Logger.WarnContext(r.Context(), "a stream was closed because its client does not read it")
	}
}

// EndStreams ends the streams on which clients listen. The streams of calls end with the
// calls.
func (h *Handler) EndStreams() {
	for _, s := range h.sessions.all() {
		s.streams.EndListening()
	}
}

// Delete ends a session.
func (h *Handler) Delete(w http.ResponseWriter, r *http.Request) {
	s := h.owned(w, r)
	if s == nil {
		return
	}
	if err := h.sessions.close(context.WithoutCancel(r.Context()), s); err != nil {
		if h.sessions.shared == nil { // otherwise, the store has logged why, once
			h.core.Server().Logger.ErrorContext(r.Context(), "a session can't be ended, because its end can't be recorded", "error", err)
		}
		h.refuse(w, r, unreachable())
		return
	}
	transport.WriteStatus(w, r, http.StatusNoContent)
	transport.Drain(w, r)
}

// owned returns the session of a GET or DELETE request, or refuses the request.
func (h *Handler) owned(w http.ResponseWriter, r *http.Request) *session {
	transport.LeaveBody(w, r)
	id := r.Header.Get("Mcp-Session-Id")
	if h.config.Sessionless {
		w.Header().Set("Allow", "POST")
		transport.Refuse(h.core.Server().Logger, w, r, http.StatusMethodNotAllowed, "This endpoint keeps no sessions; send POST requests.")
		return nil
	}
	if id == "" { // without a session there is only POST; clients know that an endpoint may lack GET, and go on
		w.Header().Set("Allow", "POST")
		transport.Refuse(h.core.Server().Logger, w, r, http.StatusMethodNotAllowed, "There is no Mcp-Session-Id; begin with initialize, and send the Mcp-Session-Id of its answer.")
		return nil
	}
	if _, refusal := h.headerVersion(r); refusal != nil {
		transport.Refuse(h.core.Server().Logger, w, r, refusal.Status, refusal.Message)
		return nil
	}
	s, refusal := h.sessions.of(r, id)
	if refusal != nil {
		delayed(r, refusal)
		h.refuse(w, r, refusal)
	}
	return s
}

// refuse refuses a GET or DELETE request.
func (h *Handler) refuse(w http.ResponseWriter, r *http.Request, refusal *exchange.Error) {
	maps.Copy(w.Header(), refusal.Header)
	transport.Refuse(h.core.Server().Logger, w, r, refusal.Status, refusal.Message+".")
}

// headerVersion returns the version in a request's MCP-Protocol-Version. Without the header,
// it returns 2025-03-26, which didn't have the header. With an error, it returns the
// unsupported version, or VersionUnknown if the header doesn't contain a version.
func (h *Handler) headerVersion(r *http.Request) (spec.Version, *exchange.Error) {
	name := protocol.VersionHeader(r.Header)
	if name == "" {
		switch given := r.Header["Mcp-Protocol-Version"]; {
		case len(given) > 1:
			return spec.VersionUnknown, fault.WithStatus(http.StatusBadRequest, "Invalid request: MCP-Protocol-Version is given several times")
		case len(given) == 1:
			return spec.VersionUnknown, fault.WithStatus(http.StatusBadRequest, "Invalid request: MCP-Protocol-Version is empty")
		}
		return spec.Version20250326, nil
	}
	v := spec.ParseVersion(name)
	if !slices.Contains(h.core.Versions().Legacy(), v) {
		return v, fault.WithStatus(http.StatusBadRequest,
			"Invalid request: the protocol version %.40q of the header MCP-Protocol-Version is not supported here", name)
	}
	return v, nil
}

// Version returns the version of a request's session, or else of its header.
func (h *Handler) Version(r *http.Request) spec.Version {
	if id := r.Header.Get("Mcp-Session-Id"); id != "" {
		if s, _ := h.sessions.of(r, id); s != nil {
			return s.peer.Version
		}
	}
	return spec.ParseVersion(protocol.VersionHeader(r.Header))
}
