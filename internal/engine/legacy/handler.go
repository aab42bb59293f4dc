// Package legacy serves clients of the protocol versions with a handshake, 2024-11-05 to
// 2025-11-25. It implements what 2026-07-28 removed: sessions, initialize, ping, the
// streams that a GET opens or resumes, batches, and requests of the server to the client.
// Its [Handler] implements transport.Legacy. All other requests go to the same core as
// those of modern clients.
package legacy

import (
	"context"
	"crypto/rand"
	"net/http"
	"time"

	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/protocol"
	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/engine/resumption"
	"github.com/bowline-mcp/bowline/internal/engine/shared"
	"github.com/bowline-mcp/bowline/internal/engine/transport"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// Config holds the options of sessions.
type Config struct {
	App         string        // the name of the program, to which the ids of sessions are bound
	Sessionless bool          // whether HTTP clients get no sessions
	Limit       int           // maximum number of sessions
	TTL         time.Duration // how long a session may be idle
	Life        time.Duration // how long after initialize another process may revive a session
	AskTimeout  time.Duration // how long a client may take to answer a question
	AskRounds   int           // maximum number of rounds of questions in a call

	// Shared is the store of several processes, nil if there is one process.
	Shared *shared.Store

	// Without Shared, the tests set these. Nil means that they are in memory.
	Records Records          // of the sessions
	Events  resumption.Store // of the sessions' streams
}

// A Handler serves the legacy clients of one core.
type Handler struct {
	core     *protocol.Core
	config   Config
	sessions sessions
}

var _ transport.Legacy = (*Handler)(nil)

// New returns a handler for a core that supports at least one legacy version.
func New(core *protocol.Core, config Config) *Handler {
	config = config.withStores()
	h := &Handler{core: core, config: config, sessions: sessions{core: core, config: config, shares: core.Server().Shares, process: rand.Text()[:16]}}
	h.sessions.shared, _ = config.Records.(*SharedRecords)
	core.Server().Lifecycle.AtDrain(h.EndStreams)
	return h
}

// withStores returns the configuration with the stores that aren't set.
func (c Config) withStores() Config {
	if c.Shared != nil {
		c.Records, c.Events = &SharedRecords{c.Shared, c.TTL}, resumption.NewShared(c.Shared)
	}
	if c.Records == nil {
		c.Records = &EndedMemory{}
	}
	if c.Events == nil {
		c.Events = &resumption.Memory{}
	}
	return c
}

// serve serves a message at a version. The client is nil if there is no session.
func (h *Handler) serve(ctx context.Context, a *call.Arrival, v spec.Version, client *client, r call.Reply) {
	peer := call.Peer{Client: request.Client{Version: v}}
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
		if refusal := client.setLevel(ctx, m); refusal != nil {
			call.Refuse(m.ID, refusal, v, r)
			return
		}
		answer(m, []byte("{}"), r)
	case m.Kind == jsonrpc.Request:
		h.core.Dispatch(ctx, a, peer, r)
	case m.Kind == jsonrpc.Notification:
		h.core.Notified(ctx, a, peer, r)
	default:
		if client != nil {
			if refusal := client.questions.answer(ctx, m); refusal != nil {
				call.Refuse(m.AnswerID(), refusal, v, r)
				return
			}
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

// isRequest reports whether a message is a request for the method.
func isRequest(m *jsonrpc.Message, method string) bool {
	return m.Kind == jsonrpc.Request && string(m.Method) == method
}
