package jsonschema

import (
	"bytes"

	"github.com/bowline-mcp/bowline/internal/json/decimal"
	"github.com/bowline-mcp/bowline/internal/json/jsonschema/ecma262"
	"github.com/bowline-mcp/bowline/internal/json/rawjson"
)

// types is a set of JSON Schema types.
type types uint8

const (
	typeNull types = 1 << iota
	typeBoolean
	typeInteger
	typeNumber
	typeString
	typeArray
	typeObject

	typeAny = typeNull | typeBoolean | typeInteger | typeNumber | typeString | typeArray | typeObject
)

// A rule is one compiled subschema. Rules form a graph, since references may be recursive.
type rule struct {
	next   *rule // the target of a bare $ref, which replaces this rule
	types  types
	never  bool // the schema false
	rest   bool // additionalProperties allows anything
	plain  bool // no field of the next block is set
	string *stringRule
	number *numberRule
	array  *arrayRule
	object *objectRule

	enum        *enumRule
	allOf       []*rule
	anyOf       []*rule
	oneOf       []*rule
	not         *rule
	when        *rule // if
	then        *rule
	orElse      *rule
	check       func([]byte) error
	unevaluated *unevaluatedRule

	title     string // for messages about unions
	byDefault []byte // the keyword default
	fills     bool   // whether a default can be reached through properties and items
	mirrored  bool   // whether a property of the object is mirrored in a header
}

// An unevaluatedRule holds unevaluatedItems and unevaluatedProperties. Each may be nil.
type unevaluatedRule struct{ items, properties *rule }

// A stringRule holds the keywords that apply to strings.
type stringRule struct {
	minLength, maxLength int // -1 when absent
	pattern              *ecma262.Regexp
	format               string // asserted when not empty
	check                func(string) error
}

// A numberRule holds the keywords that apply to numbers.
type numberRule struct {
	minimum, maximum           *bound
	exclusiveMin, exclusiveMax *bound
	multipleOf                 *bound
	fits                       Width
	safe                       bool // within ±(2^53-1), which HTTP headers of MCP require
	checkInt                   func(int64) error
	checkNumber                func(float64) error
}

// A bound is a number of the schema, prepared for comparison.
type bound struct {
	text    string
	decimal decimal.Decimal
	short   int64
	isShort bool
}

// An arrayRule holds the keywords that apply to arrays.
type arrayRule struct {
	prefix                   []*rule
	items                    *rule // nil: anything
	contains                 *rule
	minContains, maxContains int
	minItems, maxItems       int // -1 when absent
	unique                   bool
}

// An objectRule holds the keywords that apply to objects.
type objectRule struct {
	properties                   []propertyRule
	index                        map[string]int // of properties, when they are many
	patterns                     []patternRule
	additional                   *rule // nil: anything, unless closed
	closed                       bool
	names                        *rule
	nameFormat                   string // asserted when not empty
	minProperties, maxProperties int    // -1 when absent
	dependents                   []dependentRule
}

// A propertyRule is a property that the schema names.
type propertyRule struct {
	name     string
	rule     *rule // nil when the name is only required or depended on
	required bool
}

// A patternRule is a member of patternProperties.
type patternRule struct {
	pattern *ecma262.Regexp
	rule    *rule
}

// A dependentRule holds the properties that a property requires if it is present.
type dependentRule struct {
	property int
	required []int
	rule     *rule
}

// An enumRule is the set of allowed values. A constant is a set with one value.
type enumRule struct {
	keyword   string
	strings   map[string]struct{} // the string values, decoded
	canonical map[string]struct{} // all values
	listed    string              // for messages
	choices   []string            // the strings again, for suggestions
	first     []byte              // the first value
}

// allows reports whether the set has the value, which must be valid JSON.
func (e *enumRule) allows(value []byte) bool {
	if value[0] == '"' && bytes.IndexByte(value, '\\') < 0 {
		_, ok := e.strings[string(value[1:len(value)-1])]
		return ok
	}
	_, ok := e.canonical[string(rawjson.AppendCanonical(nil, value))]
	return ok
}

// memberRule returns the rule of a member in properties or in additionalProperties, or nil. It
// gets the result of find for the member's name.
func (o *objectRule) memberRule(known int) *rule {
	if known >= 0 && o.properties[known].rule != nil {
		return o.properties[known].rule
	}
	return o.additional
}

// itemRule returns the rule of the item at an index, or nil.
func (a *arrayRule) itemRule(index int) *rule {
	if index < len(a.prefix) {
		return a.prefix[index]
	}
	return a.items
}
