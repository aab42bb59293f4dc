// Package transporttest provides the tests of transports with a server whose tools they
// control, and with clients over HTTP and over pipes.
package transporttest

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/call/calltest"
	"github.com/bowline-mcp/bowline/internal/engine/protocol"
	"github.com/bowline-mcp/bowline/internal/engine/transport"
	"github.com/bowline-mcp/bowline/internal/spec"
	"github.com/bowline-mcp/bowline/internal/test/buffertest"
)

// Bubble runs a test in a synctest bubble: time is fake, and the test can wait until all
// goroutines are blocked.
func Bubble(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, test)
}

// A Server is a core with tools that tests control, and the settings of its transports.
type Server struct {
	Core   *protocol.Core
	Log    *buffertest.Buffer
	Limits transport.Limits

	Words chan string   // the tool talk sends each as a notification, and answers when it is closed
	Begun chan struct{} // receives a token for each call of the tools wait and stubborn
	Ended chan error    // receives the context's error when a call of wait ends
	Free  chan struct{} // the tools stubborn and leave wait for it
}

// NewServer returns a server that supports all versions. It isn't open yet.
func NewServer(t *testing.T) *Server {
	t.Helper()
	s := &Server{
		Log: &buffertest.Buffer{}, Words: make(chan string), Begun: make(chan struct{}, 5000), Ended: make(chan error, 5000), Free: make(chan struct{}),
		Limits: transport.Limits{
			Depth: 64, Body: 16 << 10, BodyTime: 30 * time.Second, WriteTime: 30 * time.Second, KeepAlive: time.Hour,
			Line: 16 << 10, Calls: 4, Drain: time.Second, DrainGrace: time.Second,
		},
	}
	common := calltest.Server(s.Log)
	common.Timeout = 10 * time.Minute
	s.Core = protocol.New(protocol.Config{
		Server: common, PageSize: 50, MaxPageSize: 100,
		Versions: spec.Versions{
			spec.Version20260728, spec.Version20251125, spec.Version20250618, spec.Version20250326, spec.Version20241105,
		},
	})
	s.addTools()
	t.Cleanup(s.Drain)
	return s
}

func (s *Server) addTools() {
	s.AddTool("hello", func(context.Context, *call.Call) error { return nil })
	s.AddTool("wait", func(ctx context.Context, _ *call.Call) error {
		s.Begun <- struct{}{}
		<-ctx.Done()
		s.Ended <- ctx.Err()
		return ctx.Err()
	})
	s.AddTool("stubborn", func(context.Context, *call.Call) error {
		s.Begun <- struct{}{}
		<-s.Free
		return nil
	})
	s.AddTool("talk", func(ctx context.Context, k *call.Call) error {
		for {
			select {
			case word, more := <-s.Words:
				if !more {
					return nil
				}
				_ = k.Notify("say", []byte(`{"word":"`+word+`"}`))
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	})
	s.AddTool("leave", func(_ context.Context, k *call.Call) error {
		k.CloseStream(1500 * time.Millisecond)
		<-s.Free
		return k.Notify("say", []byte(`{"word":"meanwhile"}`))
	})
}

// AddTool adds a tool, whose result has its name and its arguments. Once the server is
// open, clients are notified of the change.
func (s *Server) AddTool(name string, do func(context.Context, *call.Call) error) {
	_ = s.Core.AddTool(&protocol.Tool{Item: protocol.Item{
		Key: name, Definition: []byte(`{"name":"` + name + `","inputSchema":{"type":"object"}}`),
		Operation: &call.Operation{
			Asks: true,
			Key:  name, Tool: name,
			Do: func(ctx context.Context, k *call.Call) (call.Result, error) {
				if err := do(ctx, k); err != nil {
					return nil, err
				}
				return &protocol.ToolResult{Structured: []byte(`{"tool":"` + name + `","arguments":` + string(k.Facts().Input.Arguments) + `}`)}, nil
			},
			Explain: func(_ *call.Call, err error) (call.Result, *exchange.Error) {
				return &protocol.ToolResult{Content: []protocol.Block{protocol.RawBlock(spec.AppendText(nil, err.Error()))}, IsError: true}, nil
			},
		},
	}})
}

// Drain stops the server and cancels the running calls.
func (s *Server) Drain() { s.Core.Server().Lifecycle.Drain(0, time.Second) }

// ByUser returns the handler for requests whose header User names the principal.
func ByUser(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user := exchange.Principal{ID: r.Header.Get("User")}
		handler.ServeHTTP(w, r.WithContext(exchange.WithPrincipal(r.Context(), user)))
	})
}
