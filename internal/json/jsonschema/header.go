package jsonschema

import (
	"strings"

	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/jsonschema/document"
	"github.com/bowline-mcp/bowline/internal/json/jsonschema/format"
)

// A HeaderBinding is one property that clients mirror into an HTTP header (x-mcp-header, MCP
// 2026-07-28).
type HeaderBinding struct {
	// Name is the name in the schema. The name of the HTTP header is "Mcp-Param-" + Name.
	Name string
	// Path is the path of property names from the root to the mirrored property.
	Path []string
	// Type is "string", "integer" or "boolean".
	Type string
}

// findHeaders collects and checks the header bindings. Conforming clients drop a tool that
// has an invalid binding.
func (c *compiler) findHeaders(root *document.Location) {
	static := map[*document.Location]bool{}
	c.staticHeaders(root, nil, nil, static, map[string]string{})
	for _, l := range c.Order {
		if _, ok := l.Keywords["x-mcp-header"]; ok && !static[l] {
			c.Report(l.Pointer, "a client can't find this x-mcp-header without looking at the values",
				"put it on a property that is reached from the root through nested objects only")
		}
	}
}

// staticHeaders walks the properties that can be reached through the keyword properties
// alone. The keys of names are header names in lower case.
func (c *compiler) staticHeaders(l *document.Location, s *scope, path []string, static map[*document.Location]bool, names map[string]string) {
	s = c.enter(s, l.Resource)
	if len(path) > 0 {
		static[l] = true
		c.header(l, s, path, names)
	}
	for _, child := range l.Children {
		if child.Keyword == "properties" {
			c.staticHeaders(child.Location, s, append(path[:len(path):len(path)], child.Name), static, names)
		}
	}
}

func (c *compiler) header(l *document.Location, s *scope, path []string, names map[string]string) {
	value, ok := l.Keywords["x-mcp-header"]
	if !ok {
		return
	}
	name, isText := codec.Unquote(value)
	if !isText || !isToken(name) {
		c.Report(l.Pointer, "the header name "+short(value)+" is not an RFC 9110 token", "use letters, digits and hyphens")
		return
	}
	if other, used := names[strings.ToLower(name)]; used {
		c.Report(l.Pointer, "the header name "+codec.Quote(name)+" is used by "+other+" as well", "use names that differ in more than case")
		return
	}
	names[strings.ToLower(name)] = l.Pointer
	r := c.rule(l, s)
	binding := HeaderBinding{Name: name, Path: path}
	switch r.types &^ typeNull {
	case typeString:
		binding.Type = "string"
	case typeBoolean:
		binding.Type = "boolean"
	case typeInteger:
		binding.Type = "integer"
		ensureNumber(r).safe = true
	default:
		c.Report(l.Pointer, "a header can only mirror a string, an integer or a boolean", "drop the header or change the type")
		return
	}
	c.headers = append(c.headers, binding)
}

// isToken reports whether the text is a token of RFC 9110.
func isToken(text string) bool {
	for i := range len(text) {
		if c := text[i]; !format.IsAlphanumeric(c) && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return text != ""
}

// markMirrored sets mirrored on the objects that lead from the root to the properties of
// headers. The schema of each declares the next one itself, so it is no bare reference.
func markMirrored(root *rule, headers []HeaderBinding) {
	for _, binding := range headers {
		r := root
		for _, name := range binding.Path {
			r.mirrored = true
			r = r.object.properties[r.object.find([]byte(name))].rule
		}
	}
}
