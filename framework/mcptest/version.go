package mcptest

import (
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

// noSession is the session of a client whose server has disabled sessions.
const noSession = "none"

// begin begins the session of a client of an older version, once.
func (c *Client) begin() {
	c.t.Helper()
	if c.isModern() || c.session != "" {
		return
	}
	w := c.post(c.header(), c.marshal(badArguments, map[string]any{"jsonrpc": "2.0", "id": "initialize", "method": "initialize", "params": map[string]any{
		"protocolVersion": c.version, "capabilities": map[string]any{}, "clientInfo": self,
	}}))
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
		c.session = noSession
	}
	c.post(c.header(), c.marshal(badArguments, map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"}))
}
