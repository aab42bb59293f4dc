package mcptest

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// Speaks returns a client of a protocol version, such as "2025-11-25". A client older
// than 2026-07-28 begins a session with its first request. It can't answer questions in a
// test, and so has no capabilities; use a client of 2026-07-28 to test questions.
func (c *Client) Speaks(version string) *Client {
	c.t.Helper()
	var known []string
	for v := spec.Version20241105; v <= spec.Newest; v++ {
		known = append(known, v.String())
	}
	c.check("there is no protocol version", version, known)
	changed := *c
	changed.version, changed.session = version, ""
	changed.checkAsked()
	return &changed
}

// checkAsked ends the test if a client of an older version has capabilities, since
// mcptest can answer only the questions of 2026-07-28.
func (c *Client) checkAsked() {
	c.t.Helper()
	if !c.isModern() && len(c.capabilities) > 0 {
		c.t.Fatalf("a client of %s can't answer questions in a test, so it can't have capabilities; leave out Can, or Speaks", c.version)
	}
}

func (c *Client) isModern() bool { return spec.ParseVersion(c.version).Modern() }

// sendOlder sends a request in a session of an older version.
func (c *Client) sendOlder(id int, method string, params map[string]any) *httptest.ResponseRecorder {
	c.t.Helper()
	c.begin()
	params["_meta"] = map[string]any{"progressToken": "mcptest"}
	return c.postOlder(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

// begin begins a session, once.
func (c *Client) begin() {
	c.t.Helper()
	if c.session != "" {
		return
	}
	w := c.postOlder(map[string]any{"jsonrpc": "2.0", "id": "initialize", "method": "initialize", "params": map[string]any{
		"protocolVersion": c.version, "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "mcptest", "version": "1"},
	}})
	var answer struct {
		Result struct {
			ProtocolVersion string `json:"protocolVersion"`
		} `json:"result"`
		Error *exchange.Error `json:"error"`
	}
	switch err := codec.Unmarshal(answerOf(w), &answer); {
	case err != nil:
		c.t.Fatalf("the answer to initialize does not decode: %v\n%s", err, w.Body)
	case answer.Error != nil:
		c.t.Fatalf("initialize failed with the JSON-RPC error %d: %s", answer.Error.Code, answer.Error.Message)
	case answer.Result.ProtocolVersion != c.version:
		c.t.Fatalf("the server doesn't support %s and answers with %s; see Config.Versions", c.version, answer.Result.ProtocolVersion)
	}
	if c.session = w.Header().Get("Mcp-Session-Id"); c.session == "" {
		c.session = "none" // the configuration disables sessions
	}
	c.postOlder(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
}

func (c *Client) postOlder(message map[string]any) *httptest.ResponseRecorder {
	c.t.Helper()
	body, err := codec.Marshal(message)
	if err != nil {
		c.t.Fatalf("the arguments don't encode as JSON: %v", err)
	}
	w := httptest.NewRecorder()
	c.handler.ServeHTTP(w, c.requestOlder(c.ctx, http.MethodPost, body))
	return w
}

func (c *Client) requestOlder(ctx context.Context, method string, body []byte) *http.Request {
	r := httptest.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if c.session != "" {
		r.Header.Set("Mcp-Protocol-Version", c.version)
	}
	if c.session != "" && c.session != "none" {
		r.Header.Set("Mcp-Session-Id", c.session)
	}
	return r
}

// answerOf returns the last message of an answer, which may be a stream of events.
func answerOf(w *httptest.ResponseRecorder) []byte {
	if !strings.HasPrefix(w.Header().Get("Content-Type"), "text/event-stream") {
		return w.Body.Bytes()
	}
	var last []byte
	for line := range bytes.Lines(w.Body.Bytes()) {
		if data, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("data: ")); ok {
			last = data
		}
	}
	return last
}
