package clientrules

import (
	"bytes"
	"slices"

	"github.com/bowline-mcp/bowline/internal/json/rawjson"
)

// A node has the keywords of one subschema that the rules look at. They are raw values, nil
// if the subschema doesn't have them.
type node struct {
	types, required, additional []byte

	hasItems, hasProperties bool
	names                   [][]byte // of the properties, with their quotes
	open                    bool     // whether something else than type says what the value is
	combined                string   // the first keyword that combines schemas or lists values
	subset                  bool     // whether there is a keyword that Gemini doesn't have
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

// combine records a keyword that the root of a schema may not have.
func (n *node) combine(keyword string) {
	n.open = true
	if n.combined == "" {
		n.combined = keyword
	}
}

// node checks the keywords of a subschema of the arguments together. It is that of a keyword,
// or the root.
func (c *checker) node(n *node, keyword string) {
	if !n.hasItems && n.is(`"array"`) {
		c.report(arrayWithoutItems, "")
	}
	required := c.required(n)
	if c.list.Least > LosesQuality {
		return
	}
	if len(n.types) > 0 && n.types[0] == '[' {
		c.reportAt(typeList, "type")
	}
	if n.types == nil && !n.open && (keyword == "properties" || keyword == "items") { // others, say anyOf, may add to one with a type
		c.report(typeMissing, "")
	}
	isObject := n.is(`"object"`)
	if isObject && len(n.names) == 0 && keyword != "" {
		c.report(objectWithoutProperty, "")
	}
	if n.subset {
		c.report(geminiSubset, "")
	}
	if isObject && (string(n.additional) != "false" || len(n.names) != required) {
		c.report(openAIStrict, "")
	}
}

// manyNames is the number of properties from which a map is faster than a loop.
const manyNames = 32

// required checks that the required properties are declared, and returns their number.
func (c *checker) required(n *node) (count int) {
	if n.required == nil {
		return 0
	}
	declares := func(name []byte) bool {
		return slices.ContainsFunc(n.names, func(other []byte) bool { return bytes.Equal(text(other), name) })
	}
	if len(n.names) > manyNames {
		declared := make(map[string]bool, len(n.names))
		for _, name := range n.names {
			declared[string(text(name))] = true
		}
		declares = func(name []byte) bool { return declared[string(name)] }
	}
	missing := false
	for _, name := range rawjson.Elements(n.required) {
		count++
		missing = missing || name[0] == '"' && !declares(text(name))
	}
	if missing {
		c.reportAt(requiredUndeclared, "required")
	}
	return count
}
