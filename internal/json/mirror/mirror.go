// Package mirror repeats parts of a request in the headers that MCP 2026-07-28 requires over
// HTTP, so that proxies can route by them.
package mirror

import (
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// property is the part of a schema that says what is mirrored.
type property struct {
	Header     string              `json:"x-mcp-header"`
	Properties map[string]property `json:"properties"`
}

// Arguments sets the headers of the arguments that a tool's input schema mirrors
// (x-mcp-header). Both are raw JSON.
func Arguments(h http.Header, schema, arguments []byte) {
	var root property
	var values map[string]codec.Value
	if codec.Unmarshal(schema, &root) == nil && codec.Unmarshal(arguments, &values) == nil {
		mirror(h, root, values)
	}
}

// mirror sets the headers of the properties of an object.
func mirror(h http.Header, schema property, object map[string]codec.Value) {
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
		h.Set("Mcp-Param-"+property.Header, Encode(text))
	}
}

// Encode encodes the value of a header that isn't visible ASCII, as the specification
// requires.
func Encode(text string) string {
	odd := func(r rune) bool { return r != '\t' && (r < ' ' || r > '~') }
	if strings.ContainsFunc(text, odd) || strings.TrimSpace(text) != text || strings.HasPrefix(text, "=?base64?") {
		return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(text)) + "?="
	}
	return text
}
