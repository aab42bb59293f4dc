package spec

import (
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// Mirrored returns the member of a request's params that the header Mcp-Name repeats, "" if the
// header repeats none: the member that names the tool, the resource or the prompt of a request of
// the protocol's own (specification: Standard Request Headers).
func Mirrored(method string) string {
	switch method {
	case "tools/call", "prompts/get":
		return "name"
	case "resources/read":
		return "uri"
	}
	return ""
}

// A mirrorSchema is the part of a schema that says which arguments are mirrored into headers.
type mirrorSchema struct {
	Header     string                  `json:"x-mcp-header"`
	Properties map[string]mirrorSchema `json:"properties"`
}

// MirrorArguments sets the headers of the arguments that a tool's input schema mirrors
// (x-mcp-header), so that proxies can route by them. Both are raw JSON.
func MirrorArguments(h http.Header, schema, arguments []byte) {
	var root mirrorSchema
	var values map[string]codec.Value
	if codec.Unmarshal(schema, &root) == nil && codec.Unmarshal(arguments, &values) == nil {
		mirror(h, root, values)
	}
}

// mirror sets the headers of the properties of an object.
func mirror(h http.Header, schema mirrorSchema, object map[string]codec.Value) {
	for name, property := range schema.Properties {
		value, given := object[name]
		if !given || value.Kind() == 'n' {
			continue
		}
		var nested map[string]codec.Value
		if value.Kind() == '{' && codec.Unmarshal(value, &nested) == nil {
			mirror(h, property, nested)
		}
		if property.Header == "" {
			continue
		}
		text, ok := codec.Unquote(value)
		if !ok {
			text = string(value)
		}
		h.Set("Mcp-Param-"+property.Header, EncodeHeader(text))
	}
}

// EncodeHeader encodes the value of a header that isn't visible ASCII, as the specification
// requires.
func EncodeHeader(text string) string {
	odd := func(r rune) bool { return r != '\t' && (r < ' ' || r > '~') }
	if strings.ContainsFunc(text, odd) || strings.TrimSpace(text) != text || strings.HasPrefix(text, "=?base64?") {
		return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(text)) + "?="
	}
	return text
}
