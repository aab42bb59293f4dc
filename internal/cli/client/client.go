// Package client is the MCP client of the command line. It makes requests to one server,
// over Streamable HTTP or to a program on stdio. It speaks 2026-07-28, and 2025-11-25 and
// older versions to servers that don't know that version.
//
// Requests are made one after the other. While one runs, the client answers the questions
// of the server and passes its progress on.
package client

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// The limits of a client. A server can't make it ask or list without end.
const (
	maxRounds        = 100
	maxPages         = 1000
	maxEntries       = 10_000          // of a list
	goodbye          = 2 * time.Second // for messages at the end, such as a cancellation
	retryDelay       = time.Second     // before a round without questions
	methodInitialize = "initialize"
	methodAsk        = "elicitation/create"
	methodCall       = "tools/call"
	asksForMore      = "input_required"
)

// Options are what a client does for its server.
type Options struct {
	// Version is the version of the program, which the server learns.
	Version string

	// Protocol is the version of MCP to speak. The default is the newest that the server speaks.
	Protocol spec.Version

	// Ask answers a question of the server, elicitation/create: it returns the raw result for
	// the raw params. If it is nil, the server is told that nobody can be asked.
	Ask func(ctx context.Context, params []byte) (result []byte, err error)

	// Progress is called with the progress of a request.
	Progress func(Progress)
}

// Progress is how far a request is. Total is 0 if the server doesn't know it.
type Progress struct {
	Progress float64 `json:"progress"`
	Total    float64 `json:"total"`
	Message  string  `json:"message"`
}

// ErrCannotAsk is the error of a call in which the server asks a question, although it was
// told that nobody can be asked.
var ErrCannotAsk = errors.New("the server asks a question, and nobody can answer it")

// A Client is connected to one server.
type Client struct {
	options      Options
	connection   connection
	version      spec.Version
	capabilities spec.Object // of the server
	server       []byte      // the raw description of the server
	instructions []byte      // of the server, as a raw text
	requests     uint64
}

// A connection carries messages to a server and back.
type connection interface {
	// exchange sends a request and returns the response. Before that, it passes every other
	// message of the server to receive, and sends what receive returns, unless it is nil.
	exchange(ctx context.Context, r *request, receive func(*jsonrpc.Message) []byte) (*jsonrpc.Message, error)
	// notify sends a notification or a response.
	notify(ctx context.Context, message []byte) error
	// agreed is called with the version of an older server.
	agreed(version string)
	close() error
}

// A request is a request to the server.
type request struct {
	id     uint64
	method string
	params spec.Object
	name   string // of the tool or prompt, or the URI: the header Mcp-Name
	schema []byte // of the tool's arguments, which the headers Mcp-Param mirror
	modern bool
}

func (r *request) encode() []byte {
	return jsonrpc.AppendRequest(nil, r.id, r.method, r.params.Append(nil))
}

// open returns a client of the server at the other end of a connection, and closes the
// connection if there is no such server.
func open(ctx context.Context, c connection, options Options) (*Client, error) {
	client := &Client{options: options, connection: c}
	if err := client.connect(ctx); err != nil {
		_ = c.close() // the first error says more
		return nil, err
	}
	return client, nil
}

// connect finds out which version the server speaks.
func (c *Client) connect(ctx context.Context) error {
	if wanted := c.options.Protocol; wanted == spec.VersionUnknown || wanted.Modern() {
		if isModern, err := c.discover(ctx); isModern || err != nil {
			return err
		}
	}
	return c.initialize(ctx)
}

// discover asks a server what it is, and returns whether it speaks the newest version. A server
// that doesn't know server/discover is an older one.
func (c *Client) discover(ctx context.Context) (isModern bool, err error) {
	c.version = spec.Newest
	discovered, err := c.call(ctx, "server/discover", nil, "", nil)
	switch {
	case err != nil && isOlder(err):
		return false, nil
	case err != nil:
		return false, err
	}
	c.describe(discovered, serverIn(discovered))
	for _, version := range spec.ParseArray(spec.Lookup(discovered, "supportedVersions")) {
		if name, _ := codec.Unquote(version); name == spec.Newest.String() {
			return true, nil
		}
	}
	return false, nil
}

// initialize makes the handshake of an older version.
func (c *Client) initialize(ctx context.Context) error {
	c.version = spec.NewestLegacy
	wanted := c.options.Protocol
	if wanted != spec.VersionUnknown && !wanted.Modern() {
		c.version = wanted
	}
	params := spec.Object{
		{Name: "protocolVersion", Value: codec.AppendQuote(nil, c.version.String())},
		{Name: "capabilities", Value: c.ownCapabilities()},
		{Name: "clientInfo", Value: c.info()},
	}
	result, err := c.call(ctx, methodInitialize, params, "", nil)
	if err != nil {
		return err
	}
	name, _ := codec.Unquote(spec.Lookup(result, "protocolVersion"))
	switch c.version = spec.ParseVersion(name); {
	case c.version == spec.VersionUnknown:
		return fmt.Errorf("the server speaks the protocol version %q, which this program doesn't know", name)
	case wanted != spec.VersionUnknown && wanted != c.version:
		return fmt.Errorf("the server doesn't speak the protocol version %s; it offers %s", wanted, c.version)
	}
	c.describe(result, spec.Lookup(result, "serverInfo"))
	c.connection.agreed(name)
	return c.connection.notify(ctx, jsonrpc.AppendNotification(nil, "notifications/initialized", nil))
}

// describe takes what a server says about itself in a result.
func (c *Client) describe(result, server []byte) {
	c.capabilities = spec.ParseObject(spec.Lookup(result, "capabilities"))
	c.server, c.instructions = server, spec.Lookup(result, "instructions")
}

// isOlder reports whether server/discover failed in a way in which it fails on an older
// server.
func isOlder(err error) bool {
	if answered := new(Error); errors.As(err, &answered) {
		return true
	}
	refusal := new(RefusedError)
	return errors.As(err, &refusal) && refusal.Status >= 400 && refusal.Status < 500 && !refusal.IsLogin()
}

func (c *Client) info() []byte {
	return fmt.Appendf(nil, `{"name":"mcp","title":"Bowline's command line","version":%s}`, codec.Quote(c.options.Version))
}

// ownCapabilities returns what the client can do for a server.
func (c *Client) ownCapabilities() []byte {
	if c.options.Ask == nil {
		return []byte("{}")
	}
	return []byte(`{"elicitation":{"form":{},"url":{}}}`)
}

// Has reports whether the server has a capability, such as tools.
func (c *Client) Has(capability string) bool { return c.capabilities.Get(capability) != nil }

// Protocol returns the version of MCP that the client and the server speak.
func (c *Client) Protocol() spec.Version { return c.version }

// IsModern reports whether the server speaks 2026-07-28 or a later version.
func (c *Client) IsModern() bool { return c.version.Modern() }

// Close ends the connection, and the program at its other end.
func (c *Client) Close() error { return c.connection.close() }

// call makes one request, and further rounds of it while the server asks. It returns the
// raw result.
func (c *Client) call(ctx context.Context, method string, params spec.Object, name string, schema []byte) ([]byte, error) {
	for range maxRounds {
		result, err := c.round(ctx, method, params, name, schema)
		if answered := new(Error); errors.As(err, &answered) && len(answered.pages) > 0 {
			if err := c.openPages(ctx, answered.pages); err != nil {
				return nil, err
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		if kind, _ := codec.Unquote(spec.Lookup(result, "resultType")); kind != asksForMore {
			return result, nil
		}
		responses, err := c.respond(ctx, spec.Lookup(result, "inputRequests"))
		if err != nil {
			return nil, err
		}
		params.Drop("inputResponses", "requestState")
		params.Set("inputResponses", responses)
		if state := spec.Lookup(result, "requestState"); state != nil {
			params.Set("requestState", state)
		}
	}
	return nil, fmt.Errorf("the server asked %d times without giving a result", maxRounds)
}

// round makes one request.
func (c *Client) round(ctx context.Context, method string, params spec.Object, name string, schema []byte) ([]byte, error) {
	c.requests++
	r := &request{id: c.requests, method: method, params: append(spec.Object(nil), params...), name: name, schema: schema, modern: c.version.Modern()}
	meta := spec.Object{{Name: "progressToken", Value: fmt.Appendf(nil, "%d", r.id)}}
	if r.modern {
		meta = append(meta,
			spec.Member{Name: spec.MetaVersion, Value: codec.AppendQuote(nil, c.version.String())},
			spec.Member{Name: spec.MetaClientInfo, Value: c.info()},
			spec.Member{Name: spec.MetaCapabilities, Value: c.ownCapabilities()})
	}
	r.params.Set("_meta", meta.Append(nil))
	message, err := c.connection.exchange(ctx, r, func(m *jsonrpc.Message) []byte { return c.receive(ctx, m) })
	switch {
	case ctx.Err() != nil:
		if r.method != methodInitialize { // MCP forbids it: nobody may cancel the handshake
			c.cancel(ctx, r)
		}
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, err
	case message.Error != nil:
		return nil, readError(message.Error)
	}
	return message.Result, nil
}

// cancel tells the server that nobody waits for a request any more.
func (c *Client) cancel(ctx context.Context, r *request) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), goodbye)
	defer stop()
	// The server may be gone, and then there is nothing to cancel.
	_ = c.connection.notify(ctx, jsonrpc.AppendNotification(nil, "notifications/cancelled", fmt.Appendf(nil, `{"requestId":%d}`, r.id)))
}

// receive handles a message that comes while a request runs, and returns the response to it.
func (c *Client) receive(ctx context.Context, m *jsonrpc.Message) []byte {
	switch {
	case m.Kind == jsonrpc.Notification && string(m.Method) == "notifications/progress" && c.options.Progress != nil:
		var progress Progress
		if codec.Unmarshal(m.Params, &progress) == nil {
			c.options.Progress(progress)
		}
	case m.Kind != jsonrpc.Request:
	case string(m.Method) == "ping":
		return append(jsonrpc.AppendResult(nil, m.ID), "{}}"...)
	case string(m.Method) == methodAsk && c.options.Ask != nil:
		result, err := c.options.Ask(ctx, m.Params)
		if err != nil {
			return jsonrpc.AppendError(nil, m.ID, codeInternal, err.Error(), nil)
		}
		return append(append(jsonrpc.AppendResult(nil, m.ID), result...), '}')
	default:
		return jsonrpc.AppendError(nil, m.ID, codeMethodNotFound, fmt.Sprintf("this client doesn't answer %q", m.Method), nil)
	}
	return nil
}

// openPages lets the user open the pages without which an older server answers with an error. The
// same request gets its result afterwards.
func (c *Client) openPages(ctx context.Context, pages [][]byte) error {
	if c.options.Ask == nil {
		return &PageError{pages}
	}
	for _, page := range pages {
		answer, err := c.options.Ask(ctx, page)
		if err != nil {
			return err
		}
		if action, _ := codec.Unquote(spec.Lookup(answer, "action")); action != "accept" {
			return &PageError{pages}
		}
	}
	return nil
}

// respond answers the questions of a round, in their order.
func (c *Client) respond(ctx context.Context, questions []byte) ([]byte, error) {
	var responses spec.Object
	asked := spec.ParseObject(questions)
	for _, question := range asked {
		if method, _ := codec.Unquote(spec.Lookup(question.Value, "method")); method != methodAsk {
			return nil, fmt.Errorf("the server asks for %q, which this client doesn't offer", method)
		}
	}
	if c.options.Ask == nil && len(asked) > 0 {
		return nil, unanswered(asked)
	}
	for _, question := range asked {
		answer, err := c.options.Ask(ctx, spec.Lookup(question.Value, "params"))
		if err != nil {
			return nil, err
		}
		responses.Set(question.Name, answer)
	}
	if len(asked) == 0 { // the server is busy
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(retryDelay):
		}
	}
	return responses.Append(nil), nil
}

// unanswered returns the error for questions that nobody is asked. Pages can be opened before
// another call.
func unanswered(questions spec.Object) error {
	needed := &PageError{}
	for _, question := range questions {
		params := spec.Lookup(question.Value, "params")
		if !isPage(params) {
			return ErrCannotAsk
		}
		needed.Pages = append(needed.Pages, params)
	}
	return needed
}

// headers returns the headers of a request over HTTP that repeat parts of it.
func (r *request) headers() map[string][]string {
	if !r.modern {
		return nil
	}
	headers := map[string][]string{"Mcp-Protocol-Version": {spec.Newest.String()}, "Mcp-Method": {r.method}}
	if r.name != "" {
		headers["Mcp-Name"] = []string{spec.EncodeHeader(r.name)}
	}
	spec.MirrorArguments(headers, r.schema, r.params.Get("arguments"))
	return headers
}
