package mcp_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/annotations"
	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// wireServer is the server of all wire tests. It has a small tool for each case on the
// wire.
type wireServer struct {
	servers.Server

	running atomic.Int32   // calls of wait and stubborn
	ended   chan error     // gets the context's error of each call of wait
	release chan struct{}  // lets stubborn return when closed
	tools   []servers.Tool // nil: all of them
	boot    func(s *wireServer) error
}

func newWireServer() *wireServer {
	return &wireServer{ended: make(chan error, 4096), release: make(chan struct{})}
}

func (*wireServer) Name() string         { return "fixture" }
func (*wireServer) Title() string        { return "Fixture" }
func (*wireServer) Version() string      { return "1.2.3" }
func (*wireServer) Description() string  { return "A server for tests." }
func (*wireServer) Website() string      { return "https://example.com" }
func (*wireServer) Instructions() string { return "Call echo first." }
func (*wireServer) PageSize() int        { return 4 }
func (*wireServer) Icons() []content.Icon {
	return []content.Icon{{Src: "https://example.com/icon.png"}}
}

func (s *wireServer) Boot(context.Context) error {
	if s.boot != nil {
		return s.boot(s)
	}
	return nil
}

func (s *wireServer) Tools() []servers.Tool {
	if s.tools != nil {
		return s.tools
	}
	return []servers.Tool{
		&wireEcho{},
		wireTool("blocks", ``, func(context.Context, *tools.Request) (tools.Result, error) {
			return wireBlocks(), nil
		}),
		tools.New(tools.Definition{Name: "numbers", Description: "An array.", OutputSchema: []byte(`{"type":"array","items":{"type":"integer"}}`)},
			func(context.Context, *tools.Request) (tools.Result, error) { return tools.Structured([]int{1, 2}), nil }),
		wireTool("region", `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},
			"shard":{"type":"integer","x-mcp-header":"Shard"},"dry":{"type":"boolean","x-mcp-header":"Dry-Run"},
			"at":{"type":"object","properties":{"zone":{"type":["string","null"],"x-mcp-header":"Zone"}}}}}`,
			func(_ context.Context, r *tools.Request) (tools.Result, error) {
				return tools.Text(string(r.Arguments())), nil
			}),
		wireTool("boom", ``, func(context.Context, *tools.Request) (tools.Result, error) { panic("secret boom") }),
		wireTool("fail", ``, func(context.Context, *tools.Request) (tools.Result, error) {
			return nil, errors.New("secret failure")
		}),
		wireTool("stream", ``, func(ctx context.Context, _ *tools.Request) (tools.Result, error) {
			return tools.StreamFunc(ctx, func(send func(tools.Message) error) error {
				if err := send(tools.Notification{Method: "chat/token", Params: map[string]string{"token": "one\ntwo"}}); err != nil {
					return err
				}
				if err := send(tools.Progress{Done: 1, Total: 2, Message: "half"}); err != nil {
					return err
				}
				return send(tools.Text("done"))
			}), nil
		}),
		wireTool("wait", ``, s.wait),
		wireTool("stubborn", ``, s.stubborn),
	}
}

// wait runs until its context ends.
func (s *wireServer) wait(ctx context.Context, _ *tools.Request) (tools.Result, error) {
	s.running.Add(1)
	defer s.running.Add(-1)
	<-ctx.Done()
	s.ended <- ctx.Err()
	return nil, ctx.Err()
}

// stubborn runs until the test releases it, and ignores its context.
func (s *wireServer) stubborn(context.Context, *tools.Request) (tools.Result, error) {
	s.running.Add(1)
	defer s.running.Add(-1)
	<-s.release
	return tools.Text("too late"), nil
}

// wireEcho has every field of a definition.
type wireEcho struct {
	tools.Tool
	annotations.IsReadOnly
}

func (*wireEcho) Name() string         { return "echo" }
func (*wireEcho) Title() string        { return "Echo" }
func (*wireEcho) Description() string  { return "Repeats a message." }
func (*wireEcho) Meta() map[string]any { return map[string]any{"example.com/tier": 1} }
func (*wireEcho) Icons() []content.Icon {
	return []content.Icon{{Src: "https://example.com/echo.png", MIMEType: "image/png", Sizes: []string{"48x48"}}}
}

func (*wireEcho) Schema(s *schema.Object) {
	s.String("message").Required().MaxLength(20)
	s.Integer("repeat").Min(1).Max(5)
	s.Strings("tags").MaxItems(3)
}

func (*wireEcho) OutputSchema(s *schema.Object) {
	s.String("message").Required()
}

func (*wireEcho) Handle(_ context.Context, request *tools.Request) (tools.Result, error) {
	return tools.Structured(map[string]string{"message": request.String("message")}), nil
}

func wireBlocks() *tools.CallResult {
	text := content.Text("text").For("user").Priority(0).Modified(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	link := content.Link("https://example.com/doc", "doc")
	link.Icons = []content.Icon{{Src: "https://example.com/doc.png"}}
	return tools.Items(
		text.WithMeta(map[string]any{"example.com/a": 1}),
		content.Image([]byte{1}, "image/png"),
		content.Audio([]byte{2}, "audio/wav"),
		link,
		content.EmbedText("file:///a.txt", "text/plain", "").WithMeta(map[string]any{"example.com/b": 2}),
	).WithMeta(map[string]any{"example.com/c": 3})
}

// wireTool returns a tool that calls a function. Without an input schema it has no
// arguments.
func wireTool(name, input string, handle func(context.Context, *tools.Request) (tools.Result, error)) servers.Tool {
	definition := tools.Definition{Name: name, Description: "Does " + name + "."}
	if input != "" {
		definition.InputSchema = []byte(input)
	}
	return tools.New(definition, handle)
}

// bootWire adds the features that only Boot can add.
func bootWire(s *wireServer) error {
	return errors.Join(
		s.AddMethod("acme/reverse", func(_ context.Context, r *exchange.Request) (any, error) {
			var params struct {
				Text string `json:"text"`
			}
			if err := r.Bind(&params); err != nil {
				return nil, err
			}
			if params.Text == "" {
				return nil, errors.New("secret: there is no text")
			}
			return map[string]string{"text": params.Text}, nil
		}),
		s.AddMethod("resources/subscribe", func(context.Context, *exchange.Request) (any, error) { return nil, nil }),
		s.AddCapability("customFeature.enabled", true),
	)
}

// wireHandler returns the fixture server as a program serves it, at /mcp.
func wireHandler(t testing.TB, config mcp.Config, server servers.Interface) http.Handler {
	t.Helper()
	if config.Logger == nil {
		config.Logger = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	app := mcp.New(config)
	app.Router.Web("/mcp", server)
	handler, err := app.Handler()
	if err != nil {
		t.Fatal(err)
	}
	return handler
}
