package legacy_test

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/legacy"
	"github.com/bowline-mcp/bowline/internal/engine/protocol"
	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/engine/transport"
	"github.com/bowline-mcp/bowline/internal/engine/transport/transporttest"
)

// A server serves a core to older clients.
type server struct {
	*transporttest.Server
	handler *legacy.Handler
	http    http.Handler

	asks   []question    // the questions of the tool ask
	rounds int           // how often it asks them; 0 means once
	asked  chan error    // receives the error of each Ask
	within time.Duration // how long the tool ask waits for answers; 0 means until the call times out

	changes int // number of changes to the list of tools

	heard chan request.Client // receives the client of each call of the tool who
}

type question struct{ method, params string }

// newServer returns a server with a configuration of sessions.
func newServer(t *testing.T, config legacy.Config) *server {
	t.Helper()
	s := &server{Server: transporttest.NewServer(t), asked: make(chan error, 10), heard: make(chan request.Client, 10)}
	config.Limit, config.TTL = max(config.Limit, 10), max(config.TTL, 30*time.Minute)
	config.App, config.Life = cmp.Or(config.App, "app"), cmp.Or(config.Life, 24*time.Hour)
	config.AskTimeout, config.AskRounds = max(config.AskTimeout, time.Minute), max(config.AskRounds, 2)
	s.Limits.Body = 1 << 20
	s.handler = legacy.New(s.Core, config)
	s.http = transporttest.ByUser(transport.NewHTTP(s.Core, s.handler, s.Limits, s.Core.Server().Logger))
	s.AddTool("ask", s.ask)
	s.AddTool("who", func(_ context.Context, k *call.Call) error {
		s.heard <- k.Facts().Client
		return nil
	})
	s.Core.Opened()
	return s
}

// ask is the tool that asks the client.
func (s *server) ask(ctx context.Context, k *call.Call) error {
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
		for i := range questions { // each needs a different key
			questions[i].Key += "'"
		}
	}
	return nil
}

// change changes the list of tools.
func (s *server) change() {
	s.changes++
	s.AddTool(fmt.Sprint("tool", s.changes), nil)
}

// addResource adds a resource that only some requests may see.
func (s *server) addResource(uri string, visible func(context.Context) bool) {
	_ = s.Core.AddResource(&protocol.Resource{Item: protocol.Item{
		Key: uri, Definition: []byte(`{"uri":"` + uri + `","name":"r"}`), Operation: &call.Operation{Key: uri}, Visible: visible,
	}})
}

// addMethod registers a method of the program.
func (s *server) addMethod(name, result string) {
	_ = s.Core.AddMethod(&protocol.Method{Name: name, Operation: &call.Operation{Do: func(context.Context, *call.Call) (call.Result, error) {
		return &protocol.Object{JSON: []byte(result)}, nil
	}}})
}
