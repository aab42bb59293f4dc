package transport_test

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/protocol"
	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/engine/resumption"
	"github.com/bowline-mcp/bowline/internal/engine/throttle"
	"github.com/bowline-mcp/bowline/internal/engine/transport"
	"github.com/bowline-mcp/bowline/internal/engine/transport/transporttest"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// A server serves older clients with a stub.
type server struct {
	*transporttest.Server
	older *older
}

func newServer(t *testing.T) *server {
	t.Helper()
	s := &server{Server: transporttest.NewServer(t)}
	s.older = &older{core: s.Core, session: resumption.NewSession(&resumption.Memory{}, "session", throttle.Key{}, true), open: make(chan transport.GetReply, 10)}
	s.Core.Opened()
	return s
}

// logs reports whether the log contains a text.
func (s *server) logs(part string) bool { return strings.Contains(s.Log.String(), part) }

// An older is a Legacy that serves all clients in one session, as if they had negotiated
// 2025-06-18.
type older struct {
	core    *protocol.Core
	session *resumption.Session
	open    chan transport.GetReply // receives each stream that a GET opens
	push    func(*jsonrpc.Frame) error
	closed  atomic.Bool

	handshake time.Duration // that initialize takes
}

func (o *older) Post(ctx context.Context, a *call.Arrival, r transport.HTTPReply) {
	r.Header().Set("Mcp-Session-Id", "session")
	r.KeepEvents(o.session)
	o.Serve(ctx, a, r)
}

func (o *older) Get(_ http.ResponseWriter, r *http.Request, reply transport.GetReply) {
	stream, after, err := o.session.Open(r.Context(), r.Header.Get("Last-Event-ID"))
	if err != nil || !reply.Accepted() {
		return
	}
	reply.Open()
	stream.Connect(r.Context(), reply, after)
	o.open <- reply
	_ = reply.Wait(r.Context())
	stream.Release(reply)
}

func (o *older) Delete(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }
func (o *older) EndStreams()                                   { o.session.EndListening() }

func (o *older) Open(_ string, push func(*jsonrpc.Frame) error) transport.Session {
	o.push = push
	return olderSession{o}
}

func (o *older) Serve(ctx context.Context, a *call.Arrival, r call.Reply) {
	peer := call.Peer{Client: request.Client{Version: spec.Version20250618}}
	if string(a.Message.Method) == "initialize" {
		time.Sleep(o.handshake)
	}
	switch a.Message.Kind {
	case jsonrpc.Request:
		o.core.Dispatch(ctx, a, peer, r)
	default:
		o.core.Notified(ctx, a, peer, r)
	}
}

// Version returns the version for both Legacy and Session.
func (o *older) Version(*http.Request) spec.Version { return spec.Version20250618 }

type olderSession struct{ *older }

func (o olderSession) Version() spec.Version { return spec.Version20250618 }
func (o olderSession) Close()                { o.closed.Store(true) }

// pushes sends a message that isn't an answer.
func (o *older) pushes(text string) error {
	frame := jsonrpc.NewFrame()
	defer frame.Free()
	frame.Buffer = append(frame.Buffer, text...)
	return o.push(frame)
}

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},` +
	`"io.modelcontextprotocol/clientCapabilities":{}}`

// modern returns a call of a client of 2026-07-28. The id is raw.
func modern(id, tool string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + tool + `","arguments":{},` + modernMeta + `}}`
}

// old returns a call of a client with a handshake.
func old(id, tool string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + tool + `","arguments":{}}}`
}

// listen returns a request that subscribes to the list of tools.
func listen(id string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` + modernMeta + `}}`
}

func canceled(id string) string {
	return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`
}
