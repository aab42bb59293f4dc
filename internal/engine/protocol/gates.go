package protocol

import (
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/fault"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// An Era is one of the two halves of the protocol.
type Era uint8

// The eras: Modern is stateless, Legacy begins with a handshake.
const (
	Modern Era = iota
	Legacy
)

// Classify returns the era of a message. The body decides, and the headers of an HTTP
// request, nil on other transports, must agree. A message with a version in its _meta, or a
// modern one in its headers, is modern even if it is otherwise invalid.
func Classify(m *jsonrpc.Message, h http.Header) (Era, *exchange.Error) {
	if m.Meta.ProtocolVersion != nil && (m.Kind == jsonrpc.Request || m.Kind == jsonrpc.Notification) {
		return Modern, nil
	}
	header := VersionHeader(h)
	modernHeader := spec.ClaimsModern(header)
	switch {
	case m.Kind == jsonrpc.Batch && modernHeader:
		return Modern, fault.WithStatus(http.StatusBadRequest, "Batches aren't part of protocol version %s; send one message", header)
	case m.Kind == jsonrpc.Response && modernHeader:
		return Modern, fault.WithStatus(http.StatusBadRequest, "Responses aren't part of protocol version %s; answer with inputResponses", header)
	case m.Kind == jsonrpc.Batch, m.Kind == jsonrpc.Response:
		return Legacy, nil
	case !modernHeader:
		return Legacy, nil
	case m.Kind == jsonrpc.Notification:
		return Modern, nil
	case string(m.Method) == "initialize":
		return Modern, fault.HeaderMismatch("initialize belongs to the versions up to %s, but MCP-Protocol-Version is %s", spec.NewestLegacy, header)
	}
	return Modern, fault.BadEnvelope("_meta[%q] and _meta[%q] are required in every request", spec.MetaVersion, spec.MetaCapabilities)
}

// envelope checks the _meta of a modern request, which has the member protocolVersion.
func envelope(m *jsonrpc.Message) *exchange.Error {
	if m.Meta.ClientCapabilities == nil {
		return fault.BadEnvelope("_meta[%q] is missing; send {} if the client has none", spec.MetaCapabilities)
	}
	if !jsonrpc.IsObject(m.Meta.ClientCapabilities) {
		return fault.BadEnvelope("_meta[%q] must be an object", spec.MetaCapabilities)
	}
	if m.Meta.ClientInfo != nil && !jsonrpc.IsObject(m.Meta.ClientInfo) {
		return fault.BadEnvelope("_meta[%q] must be an object", spec.MetaClientInfo)
	}
	return nil
}

func badClaim() *exchange.Error {
	return fault.BadEnvelope("_meta[%q] must be a string", spec.MetaVersion)
}

// header returns the value of a request header. It reports false if the header has several
// different values.
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

// checkClaim checks the version that a modern notification states in its body.
func (c *Core) checkClaim(claim []byte, h http.Header) *exchange.Error {
	version, ok := jsonrpc.Text(claim)
	if !ok {
		return badClaim()
	}
	if value := VersionHeader(h); value != "" && value != string(version) {
		return fault.HeaderMismatch("MCP-Protocol-Version is %.40q but the body says %.40q", value, version)
	}
	if !slices.Contains(c.modern, spec.ParseVersion(version)) {
		return c.unsupported(version)
	}
	return nil
}

// VersionHeader returns the value of the header MCP-Protocol-Version.
func VersionHeader(h http.Header) string {
	value, _ := header(h, "Mcp-Protocol-Version")
	return value
}

// ClaimsModern reports whether a request's headers state a modern version.
func ClaimsModern(h http.Header) bool { return spec.ClaimsModern(VersionHeader(h)) }

// gates checks a modern request before its method is looked up. It reports the first
// mistake, in the order in which an author of a client would fix them: the envelope, the
// version header, the version, the other headers.
func (c *Core) gates(a *call.Arrival) *exchange.Error {
	m := &a.Message
	version, ok := jsonrpc.Text(m.Meta.ProtocolVersion)
	if !ok {
		return badClaim()
	}
	if refusal := envelope(m); refusal != nil {
		return refusal
	}
	if a.HTTP != nil {
		if refusal := sameHeader(a.HTTP.Header, "MCP-Protocol-Version", "Mcp-Protocol-Version", version); refusal != nil {
			return refusal
		}
	}
	if !slices.Contains(c.modern, spec.ParseVersion(version)) {
		return c.unsupported(version)
	}
	if a.HTTP != nil {
		return standardHeaders(a.HTTP.Header, m, c.current.Load().methods[string(m.Method)])
	}
	return nil
}

// standardHeaders checks Mcp-Method, and Mcp-Name if the method, which may be nil, has it.
func standardHeaders(h http.Header, m *jsonrpc.Message, method *Method) *exchange.Error {
	if refusal := sameHeader(h, "Mcp-Method", "Mcp-Method", m.Method); refusal != nil {
		return refusal
	}
	if method == nil || method.Mirrored == "" {
		return nil
	}
	var named []byte
	switch method.Mirrored {
	case "name": // the scan of a message finds these two
		named = m.Name
	case "uri":
		named = m.URI
	default:
		named = spec.Lookup(m.Params, method.Mirrored)
	}
	want, ok := jsonrpc.Text(named)
	if !ok {
		return nil // the method will refuse the params
	}
	if values := h["Mcp-Name"]; len(values) == 1 && values[0] == string(want) && visible(values[0]) && !strings.HasPrefix(values[0], sentinelStart) {
		return nil
	}
	value, once := header(h, "Mcp-Name")
	if !once {
		return fault.HeaderMismatch("Mcp-Name is given several times")
	}
	if len(h["Mcp-Name"]) == 0 {
		return fault.HeaderMismatch("Mcp-Name is missing; it must be %.100q", want)
	}
	if !visible(value) {
		return notEncoded("Mcp-Name")
	}
	if got, ok := decodeHeader(value); !ok || got != string(want) {
		return fault.HeaderMismatch("Mcp-Name is %.100q but the body says %.100q", value, want)
	}
	return nil
}

// sameHeader checks that a header equals the value in the body.
func sameHeader(h http.Header, name, canonical string, want []byte) *exchange.Error {
	if values := h[canonical]; len(values) == 1 && values[0] == string(want) {
		return nil
	}
	value, once := header(h, canonical)
	switch {
	case !once:
		return fault.HeaderMismatch("%s is given several times", name)
	case len(h[canonical]) == 0:
		return fault.HeaderMismatch("%s is missing; it must be %.100q", name, want)
	case value != string(want):
		return fault.HeaderMismatch("%s is %.100q but the body says %.100q", name, value, want)
	}
	return nil
}

const (
	sentinelStart = "=?base64?"
	sentinelEnd   = "?="
)

// decodeHeader decodes a mirrored header: =?base64?…?= or plain text.
func decodeHeader(value string) (string, bool) {
	if len(value) < len(sentinelStart)+len(sentinelEnd) ||
		!strings.HasPrefix(value, sentinelStart) || !strings.HasSuffix(value, sentinelEnd) {
		return value, visible(value)
	}
	inner := value[len(sentinelStart) : len(value)-len(sentinelEnd)]
	if strings.ContainsAny(inner, "\r\n") { // Go's decoder skips line ends
		return "", false
	}
	text, err := base64.StdEncoding.Strict().DecodeString(inner)
	if err != nil || !utf8.Valid(text) {
		return "", false
	}
	return string(text), true
}

// notEncoded returns the error for a header that has to be encoded as base64.
func notEncoded(name string) *exchange.Error {
	return fault.HeaderMismatch("%s has characters other than visible ASCII; send the value as %s…%s, with the base64 of its UTF-8 inside",
		name, sentinelStart, sentinelEnd)
}

// visible reports whether a literal header value has only visible ASCII, spaces
// and tabs.
func visible(value string) bool {
	for _, c := range []byte(value) {
		if c != '\t' && (c < ' ' || c > '~') {
			return false
		}
	}
	return true
}
