package legacy_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/call"
	"github.com/bowline-mcp/bowline/internal/legacy"
	"github.com/bowline-mcp/bowline/internal/protocol"
	"github.com/bowline-mcp/bowline/internal/request"
	"github.com/bowline-mcp/bowline/internal/seal"
	"github.com/bowline-mcp/bowline/internal/spec"
	"github.com/bowline-mcp/bowline/internal/transport"
)

// A server is a core with tools that tests direct, and what serves it to older clients.
type server struct {
	core    *protocol.Core
	handler *legacy.Handler
	http    http.Handler
	log     *logBuffer

	words  chan string   // that the tool talk tells, one after the other; it answers when closed
	asks   []question    // of the tool ask
	rounds int           // how often it asks them; 0 is once
	asked  chan error    // how each Ask has ended
	within time.Duration // that the tool ask waits for the answers; 0 is no limit of its own
	begun  chan struct{} // has an element for each call of the tool wait
	limits transport.Limits

	changes int // of the list of tools
}

type question struct{ method, params string }

type userKey struct{}

// A userLog adds the user of the context to each line.
type userLog struct{ slog.Handler }

func (l userLog) Handle(ctx context.Context, line slog.Record) error {
	if user, _ := ctx.Value(userKey{}).(string); user != "" {
		line.AddAttrs(slog.String("user", user))
	}
	return l.Handler.Handle(ctx, line)
}

// newServer returns a server that sessions are configured for.
func newServer(t *testing.T, config legacy.Config) *server {
	t.Helper()
	s := &server{words: make(chan string), asked: make(chan error, 10), begun: make(chan struct{}, 1000), log: &logBuffer{}}
	config.Limit, config.TTL = max(config.Limit, 10), max(config.TTL, 30*time.Minute)
	config.AskTimeout, config.AskRounds, config.Body = max(config.AskTimeout, time.Minute), max(config.AskRounds, 2), max(config.Body, 8<<10)
	s.limits = transport.Limits{
		Depth: 64, Body: int64(config.Body), BodyTime: 30 * time.Second, WriteTime: 30 * time.Second, KeepAlive: time.Hour,
		Line: 64 << 10, Calls: 64, Drain: time.Second, DrainGrace: time.Second,
	}
	logger := slog.New(userLog{slog.NewTextHandler(s.log, nil)})
	s.core = protocol.New(protocol.Config{
		PageSize: 50, MaxPageSize: 100,
		Versions: spec.Versions{
			spec.Version20260728, spec.Version20251125, spec.Version20250618, spec.Version20250326, spec.Version20241105,
		},
		Server: &call.Server{
			Scope: "test", Info: spec.NewServerInfo([]byte(`{"name":"test","version":"1"}`)), Timeout: 10 * time.Minute,
			Lifecycle: call.NewLifecycle(), Seal: seal.New(), Logger: logger,
			Address: func(*http.Request) netip.Addr { return netip.Addr{} },
			Principal: func(ctx context.Context) string {
				user, _ := ctx.Value(userKey{}).(string)
				return user
			},
		},
	})
	s.handler = legacy.New(s.core, config)
	web := transport.NewHTTP(s.core, s.handler, s.limits, logger)
	s.http = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		web.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), userKey{}, r.Header.Get("User"))))
	})
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
		return ctx.Err()
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
		return k.Notify("say", []byte(`{"word":"meanwhile"}`))
	})
	s.addTool("ask", func(ctx context.Context, k *call.Call) error {
		if s.within > 0 {
			limited, cancel := context.WithTimeout(ctx, s.within)
			defer cancel()
			ctx = limited
		}
		var questions []request.Question
		for i, q := range s.asks {
			questions = append(questions, request.Question{Key: string(rune('a' + i)), Method: q.method, Params: []byte(q.params)})
		}
		for range max(s.rounds, 1) {
			answers, err := k.Ask(ctx, slices.Clone(questions))
			s.asked <- err
			if err != nil {
				return err
			}
			for _, answer := range answers {
				_ = k.Notify("heard", answer)
			}
			for i := range questions { // each has a key of its own
				questions[i].Key += "'"
			}
		}
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
				return &protocol.ToolResult{Structured: []byte(`{"tool":"` + name + `"}`)}, nil
			},
			Explain: func(_ *call.Call, err error) (call.Result, *exchange.Error) {
				return &protocol.ToolResult{Content: []protocol.Block{protocol.RawBlock(spec.AppendText(nil, err.Error()))}, IsError: true}, nil
			},
		},
	}})
}

// change changes the list of tools.
func (s *server) change() {
	s.changes++
	s.addTool(fmt.Sprint("tool", s.changes), nil)
}

// addResource adds a resource, which only some users may see if it is hidden.
func (s *server) addResource(uri string, visible func(user string) bool) {
	_ = s.core.AddResource(&protocol.Resource{Item: protocol.Item{
		Key: uri, Definition: []byte(`{"uri":"` + uri + `","name":"r"}`), Operation: &call.Operation{Key: uri},
		Visible: func(ctx context.Context) bool {
			user, _ := ctx.Value(userKey{}).(string)
			return visible(user)
		},
	}})
}

// addMethod adds a method of the server's own.
func (s *server) addMethod(name, result string) {
	_ = s.core.AddMethod(name, &call.Operation{Do: func(context.Context, *call.Call) (call.Result, error) {
		return &protocol.Object{JSON: []byte(result)}, nil
	}})
}

// drain stops the server, and cancels the calls that run.
func (s *server) drain() { s.core.Lifecycle().Drain(0, time.Second) }
