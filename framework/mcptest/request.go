package mcptest

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/eventstream"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// request sends a request and reads its answer.
func (c *Client) request(method, name string, params map[string]any) *Result {
	c.t.Helper()
	return c.round(1, method, name, params)
}

// round sends one round of a request.
func (c *Client) round(id int, method, name string, params map[string]any) *Result {
	c.t.Helper()
	result := &Result{t: c.t, client: c, id: id, method: method, name: name, params: params}
	result.read(c.send(id, method, name, params))
	c.failOnMistakes()
	return result
}

// send sends a request of the client's protocol version. Before 2026-07-28 it is one of a
// session.
func (c *Client) send(id int, method, name string, params map[string]any) *httptest.ResponseRecorder {
	c.t.Helper()
	c.begin()
	header, body := c.encode(id, method, name, params)
	w := c.post(header, body)
	if args, ok := params["arguments"].(Args); ok && method == "tools/call" && mismatched(w) {
		c.mirror(header, name, args)
		w = c.post(header, body)
	}
	return w
}

// encode returns the headers and the body of a request.
func (c *Client) encode(id any, method, name string, params map[string]any) (http.Header, []byte) {
	c.t.Helper()
	header, meta := c.header(), map[string]any{"progressToken": "mcptest"}
	if c.isModern() {
		header.Set("Mcp-Method", method)
		if name != "" {
			header.Set("Mcp-Name", spec.EncodeHeader(name))
		}
		meta[spec.MetaVersion] = c.version
		meta[spec.MetaClientInfo] = self
		meta[spec.MetaCapabilities] = objects(c.capabilities)
	}
	params["_meta"] = meta
	return header, c.marshal(badArguments, map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

// The problems of marshal.
const (
	badArguments = "the arguments don't encode as JSON"
	badWanted    = "the wanted value does not encode as JSON"
)

// self is what the client says about itself.
var self = map[string]any{"name": "mcptest", "version": "1"} //nolint:gochecknoglobals // never written

// header returns the headers of every request.
func (c *Client) header() http.Header {
	header := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	if c.isModern() || c.session != "" {
		header.Set("Mcp-Protocol-Version", c.version)
	}
	if c.session != "" && c.session != noSession {
		header.Set("Mcp-Session-Id", c.session)
	}
	return header
}

// marshal encodes a value of the test as JSON. If that fails, the problem ends the test.
func (c *Client) marshal(problem string, value any) []byte {
	c.t.Helper()
	encoded, err := codec.Marshal(value)
	if err != nil {
		c.t.Fatalf("%s: %v", problem, err)
	}
	return encoded
}

func (c *Client) post(header http.Header, body []byte) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	c.handler.ServeHTTP(w, newRequest(c.ctx, http.MethodPost, header, body))
	return w
}

func newRequest(ctx context.Context, method string, header http.Header, body []byte) *http.Request {
	r := httptest.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	r.Header = header.Clone()
	return r
}

// mismatched reports whether an answer says that headers are missing. The tool has not
// run in that case. Only then does the client list the tools, since the list passes the
// server's guardrails, which the test may observe.
func mismatched(w *httptest.ResponseRecorder) bool {
	var answer struct {
		Error *exchange.Error `json:"error"`
	}
	return w.Code == http.StatusBadRequest && codec.Unmarshal(w.Body.Bytes(), &answer) == nil &&
		answer.Error != nil && answer.Error.Code == exchange.CodeHeaderMismatch
}

// mirror sets the headers of arguments that the tool's schema mirrors (x-mcp-header), as
// a client does after it has listed the tools.
func (c *Client) mirror(h http.Header, tool string, args Args) {
	c.t.Helper()
	arguments := c.marshal(badArguments, args)
	for _, listed := range c.Tools() {
		if listed.Name == tool {
			spec.MirrorArguments(h, listed.InputSchema, arguments)
		}
	}
}

// messages returns the messages of an answer: its body, or the events of a stream.
func messages(header http.Header, body []byte) [][]byte {
	if !strings.HasPrefix(header.Get("Content-Type"), "text/event-stream") {
		return [][]byte{body}
	}
	return slices.Collect(eventstream.NewReader(bytes.NewReader(body), len(body)).Messages())
}

// answerOf returns the last message of an answer, which may be a stream of events.
func answerOf(w *httptest.ResponseRecorder) []byte {
	all := messages(w.Header(), w.Body.Bytes())
	if len(all) == 0 {
		return nil
	}
	return all[len(all)-1]
}
