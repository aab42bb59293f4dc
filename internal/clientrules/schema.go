package clientrules

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/bowline-mcp/bowline/internal/codec"
	"github.com/bowline-mcp/bowline/internal/jsonschema"
	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/rawjson"
)

// A node has the keywords of one subschema that the rules look at. They are raw values, nil
// if the subschema doesn't have them.
type node struct {
	types, items, properties, required, additional []byte

	names    []string // of the properties
	open     bool     // whether something else than type says what the value is
	combined string   // the first keyword that combines schemas or lists values
	subset   bool     // whether there is a keyword that Gemini doesn't have
}

// is reports whether the subschema has a type, alone or in a list.
func (n *node) is(quoted string) bool {
	if string(n.types) == quoted {
		return true
	}
	for _, t := range rawjson.Elements(n.types) {
		if string(t) == quoted {
			return true
		}
	}
	return false
}

// input checks the schema of the arguments.
func (c *checker) input(raw []byte) {
	if len(raw) == 0 || raw[0] != '{' {
		c.report(inputNotObject, "")
		return
	}
	n := c.schema(raw, 0)
	if string(n.types) != `"object"` {
		c.report(inputNotObject, "")
	}
	if n.combined != "" {
		c.reportAt(inputCombination, n.combined)
	}
	if n.properties == nil {
		c.report(inputWithoutProperty, "")
	}
	length := len(c.path)
	for _, name := range n.names {
		c.path = jsonschema.AppendPointer(append(c.path, "/properties/"...), name)
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
	n := c.schema(raw, 0)
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

// schema checks the subschema at the path, and those inside it.
func (c *checker) schema(raw []byte, depth int) (n node) {
	switch {
	case raw[0] == 't', raw[0] == 'f':
		c.report(booleanSchema, "")
		return n
	case raw[0] != '{', depth > limits.MaxSchemaDepth:
		return n
	}
	if c.links != nil {
		c.links.add(c.path)
	}
	for p := rawjson.Enter(raw, 0, rawjson.MaxNesting); p.Next(); {
		c.keyword(&n, string(p.Name[1:len(p.Name)-1]), p.Value(), depth+1)
	}
	if c.isInput {
		c.node(&n, depth)
	}
	return n
}

// keyword checks a keyword of a subschema, and the schemas in its value.
func (c *checker) keyword(n *node, keyword string, value []byte, depth int) {
	switch keyword {
	case "type":
		n.types = value
	case "properties":
		n.properties = value
		n.names = c.members(keyword, value, depth)
	case "patternProperties":
		n.subset = true
		c.members(keyword, value, depth)
	case "$defs", "definitions", "dependentSchemas":
		c.members(keyword, value, depth)
	case "items":
		n.items = value
		c.below(keyword, value, depth)
	case "anyOf", "oneOf", "allOf":
		n.combine(keyword)
		n.subset = n.subset || keyword != "anyOf"
		c.elements(keyword, value, depth)
	case "prefixItems":
		c.elements(keyword, value, depth)
	case "not", "if", "then", "else", "contains", "propertyNames", "additionalProperties", "unevaluatedItems", "unevaluatedProperties":
		c.condition(n, keyword, value, depth)
	case "enum":
		n.combine(keyword)
		c.enum(value)
	case "const":
		n.open, n.subset = true, true
		if c.isInput && value[0] != '"' && value[0] != 'n' {
			c.reportAt(enumNotString, keyword)
		}
	case "required":
		n.required = value
	case "$ref":
		n.open = true
		c.reference(value)
	case "$schema":
		if text, _ := codec.Unquote(value); !strings.HasPrefix(text, "https://json-schema.org/draft/2020-12/schema") {
			c.reportAt(schemaDialect, keyword)
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

// combine records a keyword that the root of a schema may not have.
func (n *node) combine(keyword string) {
	n.open = true
	if n.combined == "" {
		n.combined = keyword
	}
}

// condition checks a keyword whose value is one schema that may be true or false.
func (c *checker) condition(n *node, keyword string, value []byte, depth int) {
	switch keyword {
	case "not":
		n.combine(keyword)
	case "propertyNames":
		n.subset = true
	case "additionalProperties":
		n.additional = value
	}
	if value[0] == '{' {
		c.below(keyword, value, depth)
	}
}

// below checks the schema that is the value of a keyword.
func (c *checker) below(keyword string, value []byte, depth int) {
	length := len(c.path)
	c.path = append(append(c.path, '/'), keyword...)
	c.schema(value, depth)
	c.path = c.path[:length]
}

// members checks the schemas that are the members of a keyword's value, and returns their
// names.
func (c *checker) members(keyword string, value []byte, depth int) (names []string) {
	length := len(c.path)
	for name, schema := range rawjson.Members(value) {
		names = append(names, name)
		c.path = jsonschema.AppendPointer(append(append(append(c.path, '/'), keyword...), '/'), name)
		c.schema(schema, depth)
		c.path = c.path[:length]
	}
	return names
}

// elements checks the schemas that are the elements of a keyword's value.
func (c *checker) elements(keyword string, value []byte, depth int) {
	length := len(c.path)
	for i, schema := range rawjson.Elements(value) {
		c.path = strconv.AppendInt(append(append(append(c.path, '/'), keyword...), '/'), int64(i), 10)
		c.schema(schema, depth)
		c.path = c.path[:length]
	}
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

// node checks the keywords of a subschema of the arguments together.
func (c *checker) node(n *node, depth int) {
	if n.is(`"array"`) && n.items == nil {
		c.report(arrayWithoutItems, "")
	}
	if n.required != nil {
		c.required(n)
	}
	if c.list.Least > LosesQuality {
		return
	}
	if len(n.types) > 0 && n.types[0] == '[' {
		c.reportAt(typeList, "type")
	}
	if n.types == nil && !n.open && depth > 0 {
		c.report(typeMissing, "")
	}
	isObject := n.is(`"object"`)
	if isObject && len(n.names) == 0 && depth > 0 {
		c.report(objectWithoutProperty, "")
	}
	if n.subset {
		c.report(geminiSubset, "")
	}
	if isObject && (string(n.additional) != "false" || len(n.names) != len(elementsOf(n.required))) {
		c.report(openAIStrict, "")
	}
}

// required checks that the required properties are declared.
func (c *checker) required(n *node) {
	declared := make(map[string]bool, len(n.names))
	for _, name := range n.names {
		declared[name] = true
	}
	for _, v := range rawjson.Elements(n.required) {
		if name, ok := codec.Unquote(v); ok && !declared[name] {
			c.reportAt(requiredUndeclared, "required")
			return
		}
	}
}

func elementsOf(array []byte) (elements [][]byte) {
	for _, element := range rawjson.Elements(array) {
		elements = append(elements, element)
	}
	return elements
}
