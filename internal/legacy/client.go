package legacy

import (
	"sync/atomic"

	"github.com/bowline-mcp/bowline/internal/codec"
	"github.com/bowline-mcp/bowline/internal/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/protocol"
)

// A client is who has introduced itself by initialize, and what it has asked for
// since. It belongs to a session or to a byte stream.
type client struct {
	peer  protocol.Peer // as it was introduced
	level atomic.Uint32 // a protocol.Severity

	questions *questions
}

// introduce notes who the client is, once.
func (c *client) introduce(peer protocol.Peer, config Config) {
	c.peer = peer
	c.peer.Asker = c
	c.questions = &questions{limit: config.AskTimeout, most: config.AskRounds}
	c.level.Store(uint32(protocol.DefaultSeverity))
}

// now returns the client as it is at the moment.
func (c *client) now() protocol.Peer {
	peer := c.peer
	peer.Log = protocol.Severity(c.level.Load()) //nolint:gosec // only severities are stored
	return peer
}

// setLevel serves logging/setLevel.
func (c *client) setLevel(m *jsonrpc.Message) *protocol.Fault {
	var params struct {
		Level string `json:"level"`
	}
	if m.Params == nil || codec.Unmarshal(m.Params, &params) != nil {
		return protocol.BadSeverity()
	}
	level := protocol.ParseSeverity([]byte(params.Level))
	if level == protocol.SeverityNone {
		return protocol.BadSeverity()
	}
	c.level.Store(uint32(level))
	return nil
}
