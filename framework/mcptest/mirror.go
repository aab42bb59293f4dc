package mcptest

import (
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/bowline-mcp/bowline/internal/codec"
)

// property is the part of a schema that mirror reads.
type property struct {
	Header     string              `json:"x-mcp-header"`
	Properties map[string]property `json:"properties"`
}

// mirror sets the headers of arguments that the tool's schema mirrors (x-mcp-header), as
// a client does after it has listed the tools.
func (c *Client) mirror(h http.Header, tool string, args Args) {
	c.t.Helper()
	for _, listed := range c.Tools() {
		var schema property
		if listed.Name == tool && codec.Unmarshal(listed.InputSchema, &schema) == nil {
			setHeaders(h, schema, args)
		}
	}
}

// setHeaders sets the headers of the properties of an object.
func setHeaders(h http.Header, schema property, object map[string]any) {
	for name, property := range schema.Properties {
		value := object[name]
		if nested, ok := value.(map[string]any); ok {
			setHeaders(h, property, nested)
		}
		if property.Header == "" || value == nil {
			continue
		}
		encoded, err := codec.Marshal(value)
		if err != nil {
			continue // encoding the body reports the error
		}
		text, ok := codec.Unquote(encoded)
		if !ok {
			text = string(encoded)
		}
		h.Set("Mcp-Param-"+property.Header, encodeHeader(text))
	}
}

// encodeHeader encodes a value that isn't visible ASCII, as the specification requires.
func encodeHeader(text string) string {
	odd := func(r rune) bool { return r != '\t' && (r < ' ' || r > '~') }
	if strings.ContainsFunc(text, odd) || strings.TrimSpace(text) != text || strings.HasPrefix(text, "=?base64?") {
		return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(text)) + "?="
	}
	return text
}
