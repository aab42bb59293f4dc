package protocol

import (
	"encoding/base64"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/bowline-mcp/bowline/internal/jsonrpc"
)

// gates checks a modern request before its method is looked at. The order is that
// of the fields a client's author would mend first: the envelope, then the header
// against it, then the version, then the other headers.
func (c *Core) gates(a *Arrival) *Fault {
	m := &a.Message
	version, ok := jsonrpc.Text(m.Meta.ProtocolVersion)
	if !ok {
		return badClaim()
	}
	if fault := envelope(m); fault != nil {
		return fault
	}
	if a.HTTP != nil {
		if fault := sameHeader(a.HTTP.Header, "MCP-Protocol-Version", "Mcp-Protocol-Version", version); fault != nil {
			return fault
		}
	}
	if v := ParseVersion(version); !v.Modern() || !c.versions.Has(v) {
		return c.unsupported(version)
	}
	if a.HTTP != nil {
		return standardHeaders(a.HTTP.Header, m)
	}
	return nil
}

// standardHeaders checks Mcp-Method and Mcp-Name.
func standardHeaders(h http.Header, m *jsonrpc.Message) *Fault {
	if fault := sameHeader(h, "Mcp-Method", "Mcp-Method", m.Method); fault != nil {
		return fault
	}
	var named []byte
	switch string(m.Method) {
	case "tools/call", "prompts/get":
		named = m.Name
	case "resources/read":
		named = m.URI
	default:
		return nil
	}
	want, ok := jsonrpc.Text(named)
	if !ok {
		return nil // the method says what is wrong with its params
	}
	if values := h["Mcp-Name"]; len(values) == 1 && values[0] == string(want) && plainName(values[0]) {
		return nil
	}
	value, once := header(h, "Mcp-Name")
	if !once {
		return headerMismatch("Mcp-Name is given several times")
	}
	if len(h["Mcp-Name"]) == 0 {
		return headerMismatch("Mcp-Name is missing; it must be %.100q", want)
	}
	if !visible(value) {
		return notEncoded("Mcp-Name")
	}
	if got, ok := decodeHeader(value); !ok || got != string(want) {
		return headerMismatch("Mcp-Name is %.100q but the body says %.100q", value, want)
	}
	return nil
}

// sameHeader checks that a header is there and equals what the body says.
func sameHeader(h http.Header, name, canonical string, want []byte) *Fault {
	if values := h[canonical]; len(values) == 1 && values[0] == string(want) {
		return nil
	}
	value, once := header(h, canonical)
	switch {
	case !once:
		return headerMismatch("%s is given several times", name)
	case len(h[canonical]) == 0:
		return headerMismatch("%s is missing; it must be %.100q", name, want)
	case value != string(want):
		return headerMismatch("%s is %.100q but the body says %.100q", name, value, want)
	}
	return nil
}

const (
	sentinelStart = "=?base64?"
	sentinelEnd   = "?="
)

// decodeHeader returns the text that a mirrored header stands for: itself, or
// what is inside =?base64?…?=.
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

// notEncoded is the fault of a mirrored header that can't stand for itself.
func notEncoded(name string) *Fault {
	return headerMismatch("%s has characters other than visible ASCII; send the value as %s…%s, with the base64 of its UTF-8 inside",
		name, sentinelStart, sentinelEnd)
}

// plainName reports whether a header's value stands for itself.
func plainName(value string) bool {
	return visible(value) && !strings.HasPrefix(value, sentinelStart)
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
