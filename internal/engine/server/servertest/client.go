// Package servertest calls servers without a transport, for tests of the engine and examples
// of the public packages.
package servertest

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/call/calltest"
	"github.com/bowline-mcp/bowline/internal/engine/protocol"
	"github.com/bowline-mcp/bowline/internal/engine/server"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// Config returns a configuration for tests. Servers log to log, through [calltest.Logger].
func Config(log io.Writer) server.Config {
	common := calltest.Server(log)
	return server.Config{
		Owner: common, Versions: spec.Versions{spec.Version20241105, spec.Version20250618, spec.Version20260728}, Timeout: common.Timeout,
		Lifecycle: common.Lifecycle, Seal: common.Seal, Address: common.Address, Shares: common.Shares, Logger: common.Logger,
	}
}

// A Server is a server whose tools, resources and prompts are fields.
type Server struct {
	servers.Server
	ToolList     []servers.Tool
	ResourceList []servers.Resource
	PromptList   []servers.Prompt
}

// Tools returns the tools.
func (s *Server) Tools() []servers.Tool { return s.ToolList }

// Resources returns the resources.
func (s *Server) Resources() []servers.Resource { return s.ResourceList }

// Prompts returns the prompts.
func (s *Server) Prompts() []servers.Prompt { return s.PromptList }

// A Client calls a server in the newest version, unless Peer has another one.
type Client struct {
	Core    *protocol.Core
	Context context.Context
	Peer    call.Peer // if its version is set, the client has sent initialize
}

// New opens a server and returns a client of it.
func New(offered servers.Interface, config server.Config) (*Client, error) {
	opened, err := server.Open(offered, config)
	if err != nil {
		return nil, err
	}
	return &Client{Core: opened.Core(), Context: context.Background()}, nil
}

// Of returns a client of a server that doesn't log. It panics if the server can't be opened.
func Of(offered servers.Interface) *Client {
	client, err := New(offered, Config(io.Discard))
	if err != nil {
		panic(err) //nolint:forbidigo // the mistake of a test
	}
	return client
}

// Send sends a request. Params is a raw object without _meta. Send adds the _meta that the
// version requires.
func (c *Client) Send(method, params string) *calltest.Reply {
	reply := &calltest.Reply{}
	if c.Peer.Version != spec.VersionUnknown {
		c.Core.Dispatch(c.Context, calltest.Arrive(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params), c.Peer, reply)
		return reply
	}
	o := spec.ParseObject([]byte(params))
	o.Set("_meta", []byte("{"+calltest.Meta+"}"))
	c.Core.Serve(c.Context, calltest.Arrive(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, o.Append(nil)), reply)
	return reply
}

// logID matches the id of a request in the log.
var logID = regexp.MustCompile(`\(request [0-9a-f]{8}\)`)

// Result sends a request. It returns the raw result, without the members that all results of
// the version have, or the code and message of the error. The id of the request in the log, which
// is random, is ID.
func (c *Client) Result(method, params string) string {
	var answer struct {
		Result codec.Value     `json:"result"`
		Error  *exchange.Error `json:"error"`
	}
	body := logID.ReplaceAllString(c.Send(method, params).Answer().Body, "(request ID)")
	if err := codec.Unmarshal([]byte(body), &answer); err != nil {
		return fmt.Sprintf("%v: %s", err, body)
	}
	if answer.Error != nil {
		return fmt.Sprintf("error %d: %s", answer.Error.Code, answer.Error.Message)
	}
	o := spec.ParseObject(answer.Result)
	o.Drop("ttlMs", "cacheScope")
	if string(o.Get("resultType")) == `"complete"` {
		o.Drop("resultType")
	}
	meta := spec.ParseObject(o.Get("_meta"))
	meta.Drop(spec.MetaServerInfo)
	o.Set("_meta", meta.Append(nil))
	if len(meta) == 0 {
		o.Drop("_meta")
	}
	return string(o.Append(nil))
}

// Call calls a tool with raw arguments.
func (c *Client) Call(name, arguments string) string {
	return c.Result("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, name, arguments))
}

// Read reads a resource.
func (c *Client) Read(uri string) string {
	return c.Result("resources/read", fmt.Sprintf(`{"uri":%q}`, uri))
}

// Get gets a prompt with raw arguments.
func (c *Client) Get(name, arguments string) string {
	return c.Result("prompts/get", fmt.Sprintf(`{"name":%q,"arguments":%s}`, name, arguments))
}

// List returns the definitions in a list, such as "tools", one per line.
func (c *Client) List(kind string) string {
	result, member := c.Result(kind+"/list", "{}"), kind
	if kind == "resources/templates" {
		member = "resourceTemplates"
	}
	var lines []string
	for _, definition := range spec.ParseArray(spec.Lookup([]byte(result), member)) {
		lines = append(lines, string(definition))
	}
	return strings.Join(lines, "\n")
}
