// Package legacy serves the clients of the protocol versions that begin with a
// handshake, 2024-11-05 to 2025-11-25: sessions, initialize, ping, the streams that a GET
// opens or resumes, batches, and requests of the server. Its [Handler] implements what
// package transport declares, and passes requests to the same core as modern ones.
package legacy

import (
	"context"
	"net/http"
	"time"

	"github.com/bowline-mcp/bowline/internal/call"
	"github.com/bowline-mcp/bowline/internal/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/protocol"
	"github.com/bowline-mcp/bowline/internal/spec"
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

// A Handler serves the legacy clients of one core.
type Handler struct {
	core     *protocol.Core
	config   Config
	sessions sessions
	budget   budget
}

var _ transport.Legacy = (*Handler)(nil)

// New returns a handler for a core that speaks at least one legacy version.
func New(core *protocol.Core, config Config) *Handler {
	h := &Handler{core: core, config: config, sessions: sessions{config: config}, budget: budget{body: config.Body}}
	core.Lifecycle().AtDrain(h.EndStreams)
	return h
}

// serve serves a message of a client at a version. The client is nil if it has no
// session: then nothing is remembered of it.
func (h *Handler) serve(ctx context.Context, a *call.Arrival, v spec.Version, client *client, r call.Reply) {
	peer := call.Peer{Version: v}
	if client != nil {
		peer = client.now()
	}
	switch m := &a.Message; {
	case m.Kind == jsonrpc.Batch:
		h.serveBatch(ctx, a, v, r, func(ctx context.Context, a *call.Arrival, r call.Reply) {
			h.serve(ctx, a, v, client, r)
		})
	case isRequest(m, "ping") && !h.core.HasMethod("ping"):
		answer(m, []byte("{}"), r)
	case client != nil && isRequest(m, "logging/setLevel") && !h.core.HasMethod("logging/setLevel"):
		if refused := client.setLevel(m); refused != nil {
			call.Refuse(m.ID, refused, v, r)
			return
		}
		answer(m, []byte("{}"), r)
	case m.Kind == jsonrpc.Request:
		h.core.Dispatch(ctx, a, peer, r)
	case m.Kind == jsonrpc.Notification:
		h.core.Notified(ctx, a, peer, r)
	default:
		if client != nil {
			client.questions.answered(m)
		}
		r.Finish(call.Answer{Status: http.StatusAccepted})
	}
}

// answer sends a raw result.
func answer(m *jsonrpc.Message, result []byte, r call.Reply) {
	frame := jsonrpc.NewFrame()
	defer frame.Free()
	b := jsonrpc.AppendResult(frame.Buffer, m.ID)
	frame.Buffer = append(append(b, result...), '}')
	r.Finish(call.Answer{Frame: frame, Status: http.StatusOK})
}

// isRequest reports whether a message is a request of that method.
func isRequest(m *jsonrpc.Message, method string) bool {
	return m.Kind == jsonrpc.Request && string(m.Method) == method
}
