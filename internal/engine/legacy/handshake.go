package legacy

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/fault"
	"github.com/bowline-mcp/bowline/internal/engine/protocol"
	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// negotiate reads an initialize request. It picks the requested version if the server
// supports it, and otherwise the newest one with a handshake.
func negotiate(core *protocol.Core, m *jsonrpc.Message) (call.Peer, *exchange.Error) {
	var params struct {
		ProtocolVersion *string     `json:"protocolVersion"` // "" and any other unknown version gets the newest one
		Capabilities    codec.Value `json:"capabilities"`
		ClientInfo      codec.Value `json:"clientInfo"`
	}
	if err := codec.Unmarshal(m.Params, &params); err != nil || params.ProtocolVersion == nil {
		return call.Peer{}, &exchange.Error{
			Code: exchange.CodeInvalidParams, Message: "Invalid params: initialize needs a protocolVersion, such as \"2025-11-25\"",
		}
	}
	if len(params.ClientInfo)+len(params.Capabilities) > limits.MaxClientInfo {
		return call.Peer{}, &exchange.Error{
			Code: exchange.CodeInvalidParams, Message: fmt.Sprintf("Invalid params: clientInfo and capabilities may have %d bytes together", limits.MaxClientInfo),
		}
	}
	legacy := core.Versions().Legacy()
	// The session keeps clones, which don't retain the spare capacity of decoding.
	peer := call.Peer{Client: request.Client{Version: legacy[0], Info: bytes.Clone(params.ClientInfo), Capabilities: bytes.Clone(params.Capabilities)}}
	if v := spec.ParseVersion(*params.ProtocolVersion); slices.Contains(legacy, v) {
		peer.Version = v
	}
	return peer, nil
}

// A client is a client that has sent initialize, in an HTTP session or on a connection.
type client struct {
	peer  call.Peer     // as it was at initialize
	level atomic.Uint32 // a spec.Severity

	questions *questions
	set       func(context.Context, func(*Settings)) *exchange.Error // records what the client sets; nil if that isn't kept
}

// initialize sets the client's fields, before its first use.
func (c *client) initialize(peer call.Peer, config Config, remote *remote) {
	c.peer = peer
	c.peer.Asker = c
	c.questions = newQuestions(config, remote)
	c.level.Store(uint32(spec.DefaultSeverity))
}

// now returns the peer with its current log level.
func (c *client) now() call.Peer {
	peer := c.peer
	peer.Log = spec.Severity(c.level.Load()) //nolint:gosec // only severities are stored
	return peer
}

// setLevel serves logging/setLevel.
func (c *client) setLevel(ctx context.Context, m *jsonrpc.Message) *exchange.Error {
	var params struct {
		Level string `json:"level"`
	}
	if m.Params == nil || codec.Unmarshal(m.Params, &params) != nil {
		return fault.BadSeverity()
	}
	level := spec.ParseSeverity([]byte(params.Level))
	if level == spec.SeverityNone {
		return fault.BadSeverity()
	}
	if c.set != nil {
		return c.set(ctx, func(s *Settings) { s.Level = level.String() })
	}
	c.level.Store(uint32(level))
	return nil
}
