package mcptest

import (
	"context"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/internal/naming"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// Args are the arguments of a call.
type Args map[string]any

// A Client calls one server. It uses the newest protocol version, unless [Client.Speaks]
// selects another.
type Client struct {
	t            testing.TB
	server       servers.Interface
	handler      http.Handler
	ctx          context.Context
	capabilities []string
	mistakes     *mistakes
	version      string // of the protocol
	session      string // the id, before 2026-07-28; "" until it has begun
}

// New returns a client of a server. The test fails if the server can't be registered, or
// if it already has a client: make a server for each client. The server's log is part of
// the test's output.
func New(t testing.TB, server servers.Interface) *Client {
	t.Helper()
	return Configured(t, mcp.Config{}, server)
}

// Configured is [New] with a configuration, for tests that depend on one, such as its
// CallTimeout or Validator.
func Configured(t testing.TB, config mcp.Config, server servers.Interface) *Client {
	t.Helper()
	if config.Logger == nil {
		config.Logger = slog.New(slog.NewTextHandler(t.Output(), nil))
	}
	found := &mistakes{}
	config.Logger = found.logger(config.Logger)
	config.URL = address
	app := mcp.New(config)
	app.Router.Web("/", server).Guard(callers{})
	handler, err := app.Handler()
	if err != nil {
		t.Fatalf("the server can't be registered:\n%v", err)
	}
	return &Client{t: t, server: server, handler: handler, ctx: t.Context(), mistakes: found, version: spec.Newest.String()}
}

// Tool calls a tool without a server of your own.
func Tool(t testing.TB, tool servers.Tool, args Args) *Result {
	t.Helper()
	return New(t, &one{tools: []servers.Tool{tool}}).Tool(tool, args)
}

// one is a server with a single tool, resource or prompt.
type one struct {
	servers.Server
	tools     []servers.Tool
	resources []servers.Resource
	prompts   []servers.Prompt
}

func (o *one) Tools() []servers.Tool         { return o.tools }
func (o *one) Resources() []servers.Resource { return o.resources }
func (o *one) Prompts() []servers.Prompt     { return o.prompts }

// With returns a client that makes its calls with the context. Use it to set values that
// HTTP middleware would set, or to cancel calls. To set the principal, use [Client.As].
func (c *Client) With(ctx context.Context) *Client {
	changed := *c
	changed.ctx, changed.session = ctx, "" // a session belongs to its principal
	return &changed
}

// Tool calls the server's tool of the type.
func (c *Client) Tool(tool servers.Tool, args Args) *Result {
	c.t.Helper()
	return c.Call(c.subject(naming.Tool, tool, "&tools.EchoTool{}"), args)
}

// Call calls the server's tool with the name.
func (c *Client) Call(name string, args Args) *Result {
	c.t.Helper()
	return c.request("tools/call", name, map[string]any{"name": name, "arguments": args})
}

// Resource reads a URI of a resource without a server of your own.
func Resource(t testing.TB, resource servers.Resource, uri string) *Result {
	t.Helper()
	return New(t, &one{resources: []servers.Resource{resource}}).Read(uri)
}

// Read reads the server's resource with the URI.
func (c *Client) Read(uri string) *Result {
	c.t.Helper()
	return c.request("resources/read", uri, map[string]any{"uri": uri})
}

// Prompt gets a prompt without a server of your own.
func Prompt(t testing.TB, prompt servers.Prompt, args Args) *Result {
	t.Helper()
	return New(t, &one{prompts: []servers.Prompt{prompt}}).Prompt(prompt, args)
}

// Prompt gets the server's prompt of the type.
func (c *Client) Prompt(prompt servers.Prompt, args Args) *Result {
	c.t.Helper()
	return c.Get(c.subject(naming.Prompt, prompt, "&prompts.ReviewPrompt{}"), args)
}

// Get gets the server's prompt with the name. An argument that the prompt doesn't have fails the
// test, since the prompt would not get it.
func (c *Client) Get(name string, args Args) *Result {
	c.t.Helper()
	c.checkArguments(name, slices.Sorted(maps.Keys(args))...)
	return c.request("prompts/get", name, map[string]any{"name": name, "arguments": args})
}

// CompletePrompt completes an argument of the prompt with the name. The others are
// arguments that are already filled in. An argument that the prompt doesn't have fails
// the test, since a client would get no suggestions.
func (c *Client) CompletePrompt(name, argument, value string, others map[string]string) *Result {
	c.t.Helper()
	c.checkArguments(name, argument)
	return c.complete(map[string]any{"type": "ref/prompt", "name": name}, argument, value, others)
}

// CompleteResource completes a variable of the template with the URI. The others are
// variables that are already filled in. A variable that the template doesn't have fails
// the test.
func (c *Client) CompleteResource(template, variable, value string, others map[string]string) *Result {
	c.t.Helper()
	c.checkVariable(template, variable)
	return c.complete(map[string]any{"type": "ref/resource", "uri": template}, variable, value, others)
}

func (c *Client) complete(ref map[string]any, argument, value string, others map[string]string) *Result {
	c.t.Helper()
	if others == nil {
		others = map[string]string{}
	}
	return c.request("completion/complete", "", map[string]any{
		"ref": ref, "argument": map[string]any{"name": argument, "value": value}, "context": map[string]any{"arguments": others},
	})
}
