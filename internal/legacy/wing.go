package legacy

import (
	"context"
	"net/http"
	"time"

	"github.com/bowline-mcp/bowline/internal/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/protocol"
	"github.com/bowline-mcp/bowline/internal/transport"
)

// Config says how sessions are kept.
type Config struct {
	Sessionless bool          // no sessions: each request stands alone
	Limit       int           // sessions at most
	TTL         time.Duration // that a session may be idle
	AskTimeout  time.Duration // for a client to answer a question
	AskRounds   int           // of questions in a call, at most
	Body        int           // bytes of a message over HTTP, at most
}

// A Wing serves the legacy clients of one core.
type Wing struct {
	core     *protocol.Core
	config   Config
	sessions sessions
	loads    loads
}

var _ transport.Wing = (*Wing)(nil)

// New returns a wing for a core that speaks at least one legacy version.
func New(core *protocol.Core, config Config) *Wing {
	w := &Wing{core: core, config: config, sessions: sessions{config: config}, loads: loads{body: config.Body}}
	core.Lifecycle().AtDrain(w.EndStreams)
	return w
}

// Post serves one message.
func (w *Wing) Post(ctx context.Context, a *protocol.Arrival, r transport.HTTPReply) {
	m := &a.Message
	v, fault := w.headerVersion(a.HTTP)
	switch {
	case isRequest(m, "initialize") && (fault == nil || v != protocol.VersionUnknown): // which agrees on another
		w.initialize(ctx, a, r)
		return
	case fault != nil:
	case w.config.Sessionless:
		w.serveStranger(ctx, a, v, r)
		return
	default:
		var s *session
		if s, fault = w.session(a.HTTP, m); s != nil {
			w.serveSession(ctx, a, s, r)
			return
		}
		if fault == nil {
			answer(m, []byte("{}"), r)
			return
		}
	}
	w.core.Refuse(m.AnswerID(), fault, v, r)
}

// maxRunning is how many requests of a session may run, with its streams. Calls don't
// end with their connections, so that nothing else would bound them.
const maxRunning = 256

// serveSession serves a message of a session, which isn't idle meanwhile.
func (w *Wing) serveSession(ctx context.Context, a *protocol.Arrival, s *session, r transport.HTTPReply) {
	asks := countRequests(&a.Message)
	n := max(asks, 1)
	running := s.enter(n)
	defer s.leave(n)
	if asks > 0 && running > maxRunning {
		r.Header().Set("Retry-After", "1")
		w.core.Refuse(a.Message.ID, refuse(http.StatusTooManyRequests,
			"A session may have %d requests running, with those of this message; try again when some have ended", maxRunning), s.peer.Version, r)
		return
	}
	if asks > 0 {
		if fault := w.loads.add(&s.load, a.Size); fault != nil {
			r.Header().Set("Retry-After", "1")
			w.core.Refuse(a.Message.AnswerID(), fault, s.peer.Version, r)
			return
		}
		defer w.loads.remove(&s.load, a.Size)
	}
	a.Calls = &s.calls
	r.Record(&s.journal)
	w.serve(ctx, a, &s.client, r)
}

// countRequests returns how many requests a message is.
func countRequests(m *jsonrpc.Message) (n int32) {
	if m.Kind == jsonrpc.Request {
		return 1
	}
	if m.Kind != jsonrpc.Batch {
		return 0
	}
	left := maxMembers // one with more is refused
	for member, err := range m.Members() {
		if err == nil && member.Kind == jsonrpc.Request {
			n++
		}
		if left--; left == 0 {
			break
		}
	}
	return n
}

// initialize begins a session.
func (w *Wing) initialize(ctx context.Context, a *protocol.Arrival, r transport.HTTPReply) {
	m := &a.Message
	peer, fault := agree(w.core, m)
	if fault == nil && w.core.Lifecycle().Draining() {
		fault = refuse(http.StatusServiceUnavailable, protocol.Stopping)
	}
	if fault == nil && !w.config.Sessionless {
		if s, ok := w.sessions.open(peer, w.core.Principal(ctx)); ok {
			r.Header().Set("Mcp-Session-Id", s.id)
		} else {
			r.Header().Set("Retry-After", "60")
			fault = refuse(http.StatusServiceUnavailable, "The server has %d sessions open, which is all it takes; try again later", w.config.Limit)
		}
	}
	if fault != nil {
		w.core.Refuse(m.ID, fault, peer.Version, r)
		return
	}
	answer(m, w.core.Welcome(peer.Version, !w.config.Sessionless), r)
}

// session returns the session of a request. Without one, and without a fault, the
// request is a ping, which needs none.
func (w *Wing) session(r *http.Request, m *jsonrpc.Message) (*session, *protocol.Fault) {
	id := r.Header.Get("Mcp-Session-Id")
	if id == "" {
		if isRequest(m, "ping") {
			return nil, nil
		}
		if m.Kind == jsonrpc.Batch {
			return nil, loneBatch()
		}
		return nil, refuse(http.StatusBadRequest,
			"Invalid request: there is no Mcp-Session-Id; begin with initialize, or state the protocol version in _meta")
	}
	s := w.sessions.find(id, w.core.Principal(r.Context()))
	if s == nil {
		return nil, refuse(http.StatusNotFound, "The session is not known, or has ended; begin with initialize")
	}
	return s, nil
}

// serve serves a message of a client that has introduced itself.
func (w *Wing) serve(ctx context.Context, a *protocol.Arrival, client *client, r protocol.Reply) {
	switch m := &a.Message; {
	case m.Kind == jsonrpc.Batch:
		w.serveBatch(ctx, a, client.peer.Version, r, func(ctx context.Context, a *protocol.Arrival, r protocol.Reply) {
			w.serve(ctx, a, client, r)
		})
	case w.answersPing(m):
		answer(m, []byte("{}"), r)
	case isRequest(m, "logging/setLevel") && !w.core.HasMethod("logging/setLevel"):
		if fault := client.setLevel(m); fault != nil {
			w.core.Refuse(m.ID, fault, client.peer.Version, r)
			return
		}
		answer(m, []byte("{}"), r)
	case m.Kind == jsonrpc.Request:
		w.core.Dispatch(ctx, a, client.now(), r)
	case m.Kind == jsonrpc.Notification:
		w.core.Hear(ctx, a, client.now(), r)
	default:
		client.questions.answered(m)
		r.Finish(http.StatusAccepted, nil)
	}
}

// serveStranger serves a message of a client of which nothing is remembered.
func (w *Wing) serveStranger(ctx context.Context, a *protocol.Arrival, v protocol.Version, r protocol.Reply) {
	switch m := &a.Message; {
	case m.Kind == jsonrpc.Batch:
		w.serveBatch(ctx, a, v, r, func(ctx context.Context, a *protocol.Arrival, r protocol.Reply) {
			w.serveStranger(ctx, a, v, r)
		})
	case w.answersPing(m):
		answer(m, []byte("{}"), r)
	case m.Kind == jsonrpc.Request:
		w.core.Dispatch(ctx, a, protocol.Peer{Version: v}, r)
	case m.Kind == jsonrpc.Notification:
		w.core.Hear(ctx, a, protocol.Peer{Version: v}, r)
	default: // an answer to a question that nobody asked
		r.Finish(http.StatusAccepted, nil)
	}
}

// answersPing reports whether a message is a ping that the server has no method of
// its own for.
func (w *Wing) answersPing(m *jsonrpc.Message) bool {
	return isRequest(m, "ping") && !w.core.HasMethod("ping")
}

// headerVersion returns the version that a request's header names; 2025-03-26,
// which had no such header, if there is none. With a fault, it is the version that is
// not spoken here, if it is one at all.
func (w *Wing) headerVersion(r *http.Request) (protocol.Version, *protocol.Fault) {
	name := protocol.VersionHeader(r.Header)
	if name == "" {
		switch given := r.Header["Mcp-Protocol-Version"]; {
		case len(given) > 1:
			return protocol.VersionUnknown, refuse(http.StatusBadRequest, "Invalid request: MCP-Protocol-Version is given several times")
		case len(given) == 1:
			return protocol.VersionUnknown, refuse(http.StatusBadRequest, "Invalid request: MCP-Protocol-Version is empty")
		}
		return protocol.Version20250326, nil
	}
	v := protocol.ParseVersion(name)
	if !w.core.Versions().Legacy().Has(v) {
		return v, refuse(http.StatusBadRequest,
			"Invalid request: the protocol version %.40q of the header MCP-Protocol-Version is not spoken here", name)
	}
	return v, nil
}

// Version returns the version that a request's session or header tells.
func (w *Wing) Version(r *http.Request) protocol.Version {
	if id := r.Header.Get("Mcp-Session-Id"); id != "" {
		if s := w.sessions.find(id, w.core.Principal(r.Context())); s != nil {
			return s.peer.Version
		}
	}
	return protocol.ParseVersion(protocol.VersionHeader(r.Header))
}
