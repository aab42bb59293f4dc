package protocol

import (
	"net/http"

	"github.com/bowline-mcp/bowline/internal/jsonrpc"
)

// An Era says which half of the protocol serves a message.
type Era uint8

// The eras: stateless, and with a handshake.
const (
	Modern Era = iota
	Legacy
)

// Classify decides the era of a message from its body; the request's headers (nil
// on other transports than HTTP) only check it. A modern claim that is present but
// wrong is never taken for legacy.
func Classify(m *jsonrpc.Message, h http.Header) (Era, *Fault) {
	if m.Meta.ProtocolVersion != nil && (m.Kind == jsonrpc.Request || m.Kind == jsonrpc.Notification) {
		return Modern, nil
	}
	header := VersionHeader(h)
	modernHeader := claimsModern(header)
	switch {
	case m.Kind == jsonrpc.Batch && modernHeader:
		return Modern, invalidRequest("Batches aren't part of protocol version %s; send one message", header)
	case m.Kind == jsonrpc.Response && modernHeader:
		return Modern, invalidRequest("Responses aren't part of protocol version %s; answer with inputResponses", header)
	case m.Kind == jsonrpc.Batch, m.Kind == jsonrpc.Response:
		return Legacy, nil
	case !modernHeader:
		return Legacy, nil
	case m.Kind == jsonrpc.Notification:
		return Modern, nil
	case string(m.Method) == "initialize":
		return Modern, headerMismatch("initialize belongs to the versions up to %s, but MCP-Protocol-Version is %s", NewestLegacy, header)
	}
	return Modern, missingEnvelope()
}

// envelope checks the _meta of a modern request. Its member protocolVersion is
// known to be there.
func envelope(m *jsonrpc.Message) *Fault {
	if m.Meta.ClientCapabilities == nil {
		return badEnvelope("Invalid params: _meta[%q] is missing; send {} if the client has none", metaCapabilities)
	}
	if !jsonrpc.IsObject(m.Meta.ClientCapabilities) {
		return badEnvelope("Invalid params: _meta[%q] must be an object", metaCapabilities)
	}
	if m.Meta.ClientInfo != nil && !jsonrpc.IsObject(m.Meta.ClientInfo) {
		return badEnvelope("Invalid params: _meta[%q] must be an object", metaInfo)
	}
	return nil
}

const (
	metaVersion      = "io.modelcontextprotocol/protocolVersion"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	metaInfo         = "io.modelcontextprotocol/clientInfo"
)

func badClaim() *Fault {
	return badEnvelope("Invalid params: _meta[%q] must be a string", metaVersion)
}

func missingEnvelope() *Fault {
	return badEnvelope("Invalid params: _meta[%q] and _meta[%q] are required in every request", metaVersion, metaCapabilities)
}

// header returns a request header that may be given once. It reports false when
// it is given several times with different values.
func header(h http.Header, canonical string) (string, bool) {
	values := h[canonical]
	if len(values) == 0 {
		return "", true
	}
	for _, other := range values[1:] {
		if other != values[0] {
			return "", false
		}
	}
	return values[0], true
}

// VersionHeader returns the value of the header MCP-Protocol-Version.
func VersionHeader(h http.Header) string {
	value, _ := header(h, "Mcp-Protocol-Version")
	return value
}

// ClaimsModern reports whether a request's headers say that it is modern.
func ClaimsModern(h http.Header) bool { return claimsModern(VersionHeader(h)) }
