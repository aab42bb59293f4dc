package clientrules

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/rawjson"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// keywords are those that the rules look at, the most frequent first.
var keywords = [...]string{ //nolint:gochecknoglobals // a table, which never changes
	"type", "properties", "required", "additionalProperties", "items", "enum", "format", "const", "$ref", "anyOf", "oneOf", "allOf", "not", "if", "then", "else",
	"$defs", "definitions", "patternProperties", "dependentSchemas", "propertyNames", "prefixItems", "contains", "unevaluatedItems", "unevaluatedProperties",
	"exclusiveMinimum", "exclusiveMaximum", "multipleOf", "uniqueItems", "$schema",
}

// input checks the schema of the arguments.
func (c *checker) input(raw []byte) {
	if len(raw) == 0 || raw[0] != '{' {
		c.report(inputNotObject, "")
		return
	}
	c.data = raw
	n, _ := c.schema("", 0, 0)
	if string(n.types) != `"object"` {
		c.report(inputNotObject, "")
	}
	if n.combined != "" {
		c.reportAt(inputCombination, n.combined)
	}
	if !n.hasProperties {
		c.report(inputWithoutProperty, "")
	}
	length := len(c.path)
	for _, quoted := range n.names {
		name := string(text(quoted))
		c.path = rawjson.AppendPointer(append(c.path, "/properties/"...), name)
		if len(name) > maxPropertyName || !isPlain(name, "_.-") {
			c.report(propertyName, "")
		}
		if !isPlain(name, "_") || name[0] >= '0' && name[0] <= '9' {
			c.report(geminiPropertyName, "")
		}
		c.path = c.path[:length]
	}
}

// output checks the schema of the result. Models don't see it, but clients compile it.
func (c *checker) output(raw []byte) {
	if len(raw) == 0 || raw[0] == 'n' {
		return
	}
	if bytes.Contains(raw, []byte(`"$ref"`)) {
		c.links = &references{root: raw, start: len(c.path), schemas: map[string]bool{}}
	}
	c.data = raw
	n, _ := c.schema("", 0, 0)
	if !c.list.Modern && string(n.types) != `"object"` {
		c.report(outputNotObject, "")
	}
	if c.links != nil {
		if at, bad := c.links.bad(); bad {
			c.path = append(c.path, at...)
			c.report(outputReference, "")
		}
		c.links = nil
	}
}

// schema checks the subschema of a keyword at i of the data, whose pointer is the path, and
// those inside it. It returns its end.
func (c *checker) schema(keyword string, i, depth int) (n node, end int) {
	switch first := c.data[i]; {
	case first == 't', first == 'f':
		c.report(booleanSchema, "")
		return n, c.skip(i)
	case first != '{', depth > limits.MaxSchemaDepth:
		return n, c.skip(i)
	}
	if c.links != nil {
		c.links.add(c.path)
	}
	p := rawjson.Enter(c.data, i, rawjson.MaxNesting)
	for p.Find() {
		p.End = c.keyword(&n, p.Name[1:len(p.Name)-1], p.Start, depth+1)
	}
	if c.isInput {
		c.node(&n, keyword)
	}
	return n, p.After
}

// known returns the name of a keyword that the rules look at, or "". It saves a string for
// each keyword of each schema, half of the allocations of a check.
func known(name []byte) string {
	for _, keyword := range keywords {
		if string(name) == keyword {
			return keyword
		}
	}
	return ""
}

// skip returns the end of the value at i.
func (c *checker) skip(i int) int { return rawjson.ScanValue(c.data, i, rawjson.MaxNesting) }

// keyword checks a keyword of a subschema, with its value at i and the schemas in it. It
// returns the end of the value.
func (c *checker) keyword(n *node, name []byte, i, depth int) (end int) {
	switch keyword := known(name); keyword {
	case "properties":
		n.hasProperties = true
		n.names, end = c.members(keyword, i, depth)
		return end
	case "patternProperties", "$defs", "definitions", "dependentSchemas":
		n.subset = n.subset || keyword == "patternProperties"
		_, end = c.members(keyword, i, depth)
		return end
	case "items":
		n.hasItems = true
		return c.below(keyword, i, depth)
	case "anyOf", "oneOf", "allOf":
		n.combine(keyword)
		n.subset = n.subset || keyword != "anyOf"
		return c.elements(keyword, i, depth)
	case "prefixItems":
		return c.elements(keyword, i, depth)
	case "not", "if", "then", "else", "contains", "propertyNames", "additionalProperties", "unevaluatedItems", "unevaluatedProperties":
		if keyword == "not" {
			n.combine(keyword)
		}
		n.subset = n.subset || keyword == "propertyNames"
		end = c.condition(keyword, i, depth)
		if keyword == "additionalProperties" && end >= 0 {
			n.additional = c.data[i:end]
		}
		return end
	default:
		if end = c.skip(i); end >= 0 {
			c.plain(n, keyword, c.data[i:end])
		}
		return end
	}
}

// plain checks a keyword whose value has no schemas.
func (c *checker) plain(n *node, keyword string, value []byte) {
	switch keyword {
	case "type":
		n.types = value
	case "required":
		n.required = value
	case "enum":
		n.combine(keyword)
		c.enum(value)
	case "const":
		n.open, n.subset = true, true
		if c.isInput && value[0] != '"' && value[0] != 'n' {
			c.reportAt(enumNotString, keyword)
		}
	case "$ref":
		n.open = true
		c.reference(value)
	case "$schema":
		if dialect, _ := codec.Unquote(value); !strings.HasPrefix(dialect, "https://json-schema.org/draft/2020-12/schema") {
			c.reportAt(map[bool]string{true: inputDialect, false: outputDialect}[c.isInput], keyword)
		}
	case "exclusiveMinimum", "exclusiveMaximum":
		n.subset = true
		if c.isInput && (value[0] == 't' || value[0] == 'f') {
			c.reportAt(boundBoolean, keyword)
		}
	case "multipleOf", "uniqueItems":
		n.subset = true
	case "format":
		n.subset = n.subset || string(value) != `"date-time"` && string(value) != `"enum"`
	}
}

// condition checks the schema of a keyword for which true and false are usual.
func (c *checker) condition(keyword string, i, depth int) (end int) {
	if c.data[i] != '{' {
		return c.skip(i)
	}
	return c.below(keyword, i, depth)
}

// below checks the schema that is the value of a keyword.
func (c *checker) below(keyword string, i, depth int) (end int) {
	length := len(c.path)
	c.path = append(append(c.path, '/'), keyword...)
	_, end = c.schema(keyword, i, depth)
	c.path = c.path[:length]
	return end
}

// members checks the schemas that are the members of a keyword's value, and returns their
// names.
func (c *checker) members(keyword string, i, depth int) (names [][]byte, end int) {
	if c.data[i] != '{' {
		return nil, c.skip(i)
	}
	length := len(c.path)
	p := rawjson.Enter(c.data, i, rawjson.MaxNesting)
	for p.Find() {
		if names == nil {
			names = make([][]byte, 0, 8) // more arguments are rare
		}
		names = append(names, p.Name)
		c.path = rawjson.AppendPointer(append(append(append(c.path, '/'), keyword...), '/'), text(p.Name))
		_, p.End = c.schema(keyword, p.Start, depth)
		c.path = c.path[:length]
	}
	return names, p.After
}

// elements checks the schemas that are the elements of a keyword's value.
func (c *checker) elements(keyword string, i, depth int) (end int) {
	if c.data[i] != '[' {
		return c.skip(i)
	}
	length := len(c.path)
	p := rawjson.Enter(c.data, i, rawjson.MaxNesting)
	for index := int64(0); p.Find(); index++ {
		c.path = strconv.AppendInt(append(append(append(c.path, '/'), keyword...), '/'), index, 10)
		_, p.End = c.schema(keyword, p.Start, depth)
		c.path = c.path[:length]
	}
	return p.After
}

// text returns a name without its quotes.
func text(quoted []byte) []byte {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1]
	}
	name, _ := codec.Unquote(quoted)
	return []byte(name)
}

// enum checks the values of an enum.
func (c *checker) enum(value []byte) {
	if !c.isInput {
		return
	}
	other, empty := false, false
	for _, v := range rawjson.Elements(value) {
		other = other || v[0] != '"' && v[0] != 'n' // null makes it nullable
		empty = empty || string(v) == `""`
	}
	if other {
		c.reportAt(enumNotString, "enum")
	}
	if empty {
		c.reportAt(enumEmptyString, "enum")
	}
}

// reference checks a $ref.
func (c *checker) reference(value []byte) {
	target, ok := codec.Unquote(value)
	switch {
	case c.isInput:
		c.reportAt(inputReference, "$ref")
	case ok && c.links != nil:
		c.links.refer(c.path, target)
	}
}
