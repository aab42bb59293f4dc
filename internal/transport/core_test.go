package transport_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/call"
	"github.com/bowline-mcp/bowline/internal/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/protocol"
	"github.com/bowline-mcp/bowline/internal/resumption"
	"github.com/bowline-mcp/bowline/internal/seal"
	"github.com/bowline-mcp/bowline/internal/spec"
	"github.com/bowline-mcp/bowline/internal/transport"
)

// A server is a core with tools that tests direct, and what its transports are made with.
type server struct {
	core   *protocol.Core
	logger *slog.Logger
	log    *logBuffer
	limits transport.Limits
	older  *older

	words chan string   // that the tool talk tells, one after the other; it answers when closed
	begun chan struct{} // has an element for each call of the tool wait
	ended chan error    // and one for each that has ended
	free  chan struct{} // for which the tool stubborn waits
}

type userKey struct{}

// A userLog adds the user of the context to each line.
type userLog struct{ slog.Handler }

func (l userLog) Handle(ctx context.Context, line slog.Record) error {
	if user, _ := ctx.Value(userKey{}).(string); user != "" {
		line.AddAttrs(slog.String("user", user))
	}
	return l.Handler.Handle(ctx, line)
}

func newServer(t *testing.T) *server {
	t.Helper()
	s := &server{
		log: &logBuffer{}, words: make(chan string), begun: make(chan struct{}, 5000), ended: make(chan error, 5000), free: make(chan struct{}),
		limits: transport.Limits{
			Depth: 64, Body: 16 << 10, BodyTime: 30 * time.Second, WriteTime: 30 * time.Second, KeepAlive: time.Hour,
			Line: 16 << 10, Calls: 4, Drain: time.Second, DrainGrace: time.Second,
		},
	}
	s.logger = slog.New(userLog{slog.NewTextHandler(s.log, nil)})
	s.core = protocol.New(protocol.Config{
		PageSize: 50, MaxPageSize: 100,
		Versions: spec.Versions{spec.Version20260728, spec.Version20251125, spec.Version20250618},
		Server: &call.Server{
			Scope: "test", Info: spec.NewServerInfo([]byte(`{"name":"test","version":"1"}`)), Timeout: 10 * time.Minute,
			Lifecycle: call.NewLifecycle(), Seal: seal.New(), Logger: slog.New(slog.DiscardHandler),
			Address: func(*http.Request) netip.Addr { return netip.Addr{} },
			Principal: func(ctx context.Context) string {
				user, _ := ctx.Value(userKey{}).(string)
				return user
			},
		},
	})
	s.older = &older{core: s.core, session: resumption.NewSession(&resumption.Memory{}, true), open: make(chan transport.GetReply, 10)}
	s.addTools()
	s.core.Opened()
	t.Cleanup(s.drain)
	return s
}

// addTools adds the tools that tests direct.
func (s *server) addTools() {
	s.addTool("hello", func(context.Context, *call.Call) error { return nil })
	s.addTool("wait", func(ctx context.Context, _ *call.Call) error {
		s.begun <- struct{}{}
		<-ctx.Done()
		s.ended <- ctx.Err()
		return ctx.Err()
	})
	s.addTool("stubborn", func(context.Context, *call.Call) error {
		s.begun <- struct{}{}
		<-s.free
		return nil
	})
	s.addTool("talk", func(ctx context.Context, k *call.Call) error {
		for {
			select {
			case word, more := <-s.words:
				if !more {
					return nil
				}
				_ = k.Notify("say", []byte(`{"word":"`+word+`"}`))
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	})
	s.addTool("leave", func(_ context.Context, k *call.Call) error {
		k.CloseStream(1500 * time.Millisecond)
		<-s.free
		return k.Notify("say", []byte(`{"word":"meanwhile"}`))
	})
	s.addTool("exit", func(context.Context, *call.Call) error {
		runtime.Goexit()
		return nil
	})
}

// addTool adds a tool, which is a change once the server is open.
func (s *server) addTool(name string, do func(context.Context, *call.Call) error) {
	_ = s.core.AddTool(&protocol.Tool{Item: protocol.Item{
		Key: name, Definition: []byte(`{"name":"` + name + `","inputSchema":{"type":"object"}}`),
		Operation: &call.Operation{
			Key: name, Tool: name,
			Do: func(ctx context.Context, k *call.Call) (call.Result, error) {
				if err := do(ctx, k); err != nil {
					return nil, err
				}
				return &protocol.ToolResult{Structured: k.Input().Arguments}, nil
			},
			Explain: func(_ *call.Call, err error) (call.Result, *exchange.Error) {
				return &protocol.ToolResult{Content: []protocol.Block{protocol.RawBlock(spec.AppendText(nil, err.Error()))}, IsError: true}, nil
			},
		},
	}})
}

// drain stops the server, and cancels the calls that run.
func (s *server) drain() { s.core.Lifecycle().Drain(0, time.Second) }

// An older is what serves clients with a handshake: as if each had initialized at
// 2025-06-18, in one session.
type older struct {
	core    *protocol.Core
	session *resumption.Session
	open    chan transport.GetReply // has an element for each stream that a GET has opened
	push    func(*jsonrpc.Frame) error
	closed  bool
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
	peer := call.Peer{Version: spec.Version20250618}
	switch a.Message.Kind {
	case jsonrpc.Request:
		o.core.Dispatch(ctx, a, peer, r)
	default:
		o.core.Hear(ctx, a, peer, r)
	}
}

// version is the one of Legacy and Session.
func (o *older) Version(*http.Request) spec.Version { return spec.Version20250618 }

type olderSession struct{ *older }

func (o olderSession) Version() spec.Version { return spec.Version20250618 }
func (o olderSession) Close()                { o.closed = true }

// pushes sends a message that answers none.
func (o *older) pushes(text string) error {
	frame := jsonrpc.NewFrame()
	defer frame.Free()
	frame.Buffer = append(frame.Buffer, text...)
	return o.push(frame)
}

// A logBuffer is what the transport logs.
type logBuffer struct {
	lock sync.Mutex
	text bytes.Buffer
}

func (b *logBuffer) Write(data []byte) (int, error) {
	b.lock.Lock()
	defer b.lock.Unlock()
	return b.text.Write(data)
}

func (b *logBuffer) has(part string) bool {
	b.lock.Lock()
	defer b.lock.Unlock()
	return strings.Contains(b.text.String(), part)
}

func (b *logBuffer) lines() []string {
	b.lock.Lock()
	defer b.lock.Unlock()
	return strings.Split(strings.TrimSpace(b.text.String()), "\n")
}

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},` +
	`"io.modelcontextprotocol/clientCapabilities":{}}`

// modern is a call of a client of 2026-07-28; the id is raw.
func modern(id, tool string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + tool + `","arguments":{},` + modernMeta + `}}`
}

// old is a call of a client with a handshake.
func old(id, tool string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + tool + `","arguments":{}}}`
}

// listen opens a subscription to the list of tools.
func listen(id string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` + modernMeta + `}}`
}

func cancelled(id string) string {
	return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`
}
