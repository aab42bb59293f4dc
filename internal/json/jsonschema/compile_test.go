package jsonschema_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/json/jsonschema"
)

// compile returns the validator of a valid schema.
func compile(t testing.TB, raw string) *jsonschema.Validator {
	t.Helper()
	v, problems := jsonschema.Compile([]byte(raw), jsonschema.Options{})
	if problems != nil {
		t.Fatalf("Compile(%s) = %v", raw, problems)
	}
	return v
}

// properties returns members for the keyword properties.
func properties(n int) (members []string) {
	for i := range n {
		members = append(members, fmt.Sprintf(`"p%d":{}`, i))
	}
	return members
}

func TestRawSchemasThatAreRefused(t *testing.T) {
	t.Parallel()
	many := properties(10_001)
	chain := func(n int) string {
		var defs []string
		for i := range n {
			defs = append(defs, fmt.Sprintf(`"d%d":{"$ref":"#/$defs/d%d","type":"object"}`, i, i+1))
		}
		return `{"$ref":"#/$defs/d0","$defs":{` + strings.Join(defs, ",") + fmt.Sprintf(`,"d%d":{}}}`, n)
	}
	for _, tt := range []struct{ schema, want string }{
		{``, "the schema is not valid JSON"},
		{`{"type":"object"`, "the schema is not valid JSON"},
		{`{"type":"object","type":"string"}`, "the schema is not valid JSON"},
		{`3`, "a schema can't be a number"},
		{`{"properties":{"x":null}}`, "/properties/x: a schema can't be null"},
		{`{"$schema":"http://json-schema.org/draft-07/schema#"}`,
			`the dialect "http://json-schema.org/draft-07/schema#" is not supported; write the schema in https://json-schema.org/draft/2020-12/schema`},
		{`{"$schema":1}`, "$schema is not a string"},
		{`{"type":"text"}`, `the type "text" does not exist; use null, boolean, integer`},
		{`{"type":[]}`, "the list of types is empty"},
		{`{"type":["string","string"]}`, "listed twice"},
		{`{"properties":[]}`, "/properties: properties is not an object"},
		{`{"required":"x"}`, "required is not a list of names"},
		{`{"required":["x","x"]}`, `required lists "x" twice`},
		{`{"required":[1]}`, "required lists a number"},
		{`{"enum":{}}`, "enum is not a list"},
		{`{"items":[{}]}`, "items is a list, as in older drafts; use prefixItems"},
		{`{"anyOf":[]}`, "/anyOf: anyOf is not a list of at least one schema"},
		{`{"minLength":1.5}`, "minLength is 1.5; write an integer that is not negative"},
		{`{"minLength":-1}`, "minLength is -1; write an integer that is not negative"},
		{`{"exclusiveMinimum":true}`, "exclusiveMinimum is a boolean, as in older drafts"},
		{`{"minimum":"1"}`, "minimum is a string; write a number"},
		{`{"multipleOf":0.12345678901234567890}`, "multipleOf has more than 17 significant digits"},
		{`{"uniqueItems":1}`, "uniqueItems is a number; write true or false"},
		{`{"pattern":"(?=a)"}`, "has no look-around such as (?="},
		{`{"pattern":1}`, "pattern is not a string"},
		{`{"patternProperties":{"(":{}}}`, "the pattern \"(\" is not valid"},
		{`{"dependentRequired":[]}`, "dependentRequired is not an object"},
		{`{"$id":"#x"}`, "$id is not a URI without a fragment"},
		{`{"dependencies":{"a":["b"]}}`, "dependencies is a keyword of older drafts; use dependentRequired for lists of names, and dependentSchemas for schemas"},
		{`{"properties":{"a":{"additionalItems":false}}}`, "/properties/a: additionalItems is a keyword of older drafts; use prefixItems"},
		{`{"$recursiveRef":"#"}`, "$recursiveRef is a keyword of older drafts; use $dynamicRef, or $ref"},
		{`{"$recursiveAnchor":true}`, "$recursiveAnchor is a keyword of older drafts; use $dynamicAnchor"},
		// References.
		{`{"$ref":"https://example.com/schema"}`, `the reference "https://example.com/schema" leaves the schema, and nothing is ever fetched`},
		{`{"properties":{"x":{"$ref":"other.json#/x"}}}`, "/properties/x: the reference"},
		{`{"$ref":"#/$defs/x"}`, `the reference "#/$defs/x" doesn't resolve`},
		{`{"$ref":"#/x","$dynamicRef":"#/y"}`, `the reference "#/y" doesn't resolve`},
		{`{"$ref":"#x"}`, "doesn't resolve, since no schema has this $anchor"},
		{`{"$ref":"http://[::1"}`, "is not a URI"},
		{`{"$ref":1}`, "$ref is not a string"},
		{`{"$ref":"#"}`, "a reference leads back to itself without going into a property or an item"},
		{`{"anyOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"not":{"$ref":"#"}}}}`, "a reference leads back to itself"},
		{chain(70), "follow each other through more than 64 steps"},
		// Bounds.
		{`{"properties":{` + strings.Join(many, ",") + `}}`, "the schema has more than 10000 subschemas"},
		{strings.Repeat(`{"items":`, 65) + "{}" + strings.Repeat("}", 65), "subschemas are nested more than 64 levels deep"},
		{strings.Repeat(`{"properties":{"a":`, 65) + "{}" + strings.Repeat("}}", 65), "subschemas are nested more than 64 levels deep"},
		{strings.Repeat(`{"allOf":[`, 65) + "{}" + strings.Repeat("]}", 65), "subschemas are nested more than 64 levels deep"},
		{`{"default":` + strings.Repeat("[", 600) + strings.Repeat("]", 600) + `}`, "the schema nests JSON more than 512 levels deep"},
		// Headers.
		{`{"properties":{"x":{"type":["string","integer"],"x-mcp-header":"X"}}}`, "a header can only mirror a string, an integer or a boolean"},
		{`{"properties":{"x":{"x-mcp-header":"X"}}}`, "a header can only mirror"},
		{`{"type":"string","x-mcp-header":"X"}`, "a client can't find this x-mcp-header"},
		{`{"properties":{"x":{"type":"string","x-mcp-header":"a b"}}}`, `the header name "a b" is not an RFC 9110 token`},
		{`{"properties":{"x":{"type":"string","x-mcp-header":5}}}`, "the header name 5 is not an RFC 9110 token"},
		{`{"allOf":[{"properties":{"x":{"type":"string","x-mcp-header":"X"}}}]}`, "/allOf/0/properties/x: a client can't find this x-mcp-header"},
	} {
		_, problems := jsonschema.Compile([]byte(tt.schema), jsonschema.Options{})
		if !strings.Contains(fmt.Sprint(problems), tt.want) {
			t.Errorf("Compile(%.80s) = %v, want a problem about %q", tt.schema, problems, tt.want)
		}
	}
}

func TestRawSchemasMayContradictThemselves(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		`{"minimum":3,"maximum":2}`, `{"enum":[]}`, `{"type":"string","default":3}`, `true`, `false`, `{"unknown":[]}`,
		`{"$schema":"https://json-schema.org/draft/2020-12/schema"}`,
		`{"$ref":"#/$defs/a%25b~1c","$defs":{"a%b/c":{"type":"string"}}}`,
		`{"$id":"https://example.com/x","$ref":"x#/$defs/a","$defs":{"a":{}}}`,
		`{"properties":{"x":{"type":["null","string"],"x-mcp-header":"X!"}}}`,
		`{"default":` + strings.Repeat("[", 511) + strings.Repeat("]", 511) + `}`,
		`{"properties":{` + strings.Join(properties(9999), ",") + `}}`, // with the root, as many subschemas as are allowed
	} {
		compile(t, raw)
	}
}

func TestInputMustBeAnObject(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]error{
		`{"type":"object"}`:   nil,
		`{}`:                  jsonschema.ErrNotObject,
		`{"type":"array"}`:    jsonschema.ErrNotObject,
		`{"type":["object"]}`: jsonschema.ErrNotObject,
		`{"$ref":"#/$defs/a","$defs":{"a":{"type":"object"}}}`: jsonschema.ErrNotObject,
	} {
		if err := compile(t, raw).CheckObject(); !errors.Is(err, want) {
			t.Errorf("CheckObject() of %s = %v, want %v", raw, err, want)
		}
	}
}

// A model can't know what to send for an undeclared name, so it must be a mistake.
func TestRequiredArgumentsAreDeclared(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`{"type":"object","properties":{"a":{}},"required":["a"]}`: "",
		`{"type":"object","properties":{"message":{"type":"string"}},"required":["mesage"]}`: "the root of the schema: required lists \"mesage\", " +
			"which properties lacks; add the property, or drop the name",
		`{"type":"object","properties":{"a":{}},"required":["a","b"],"additionalProperties":false}`: `required lists "b"`,
		`{"type":"object","required":["a","b"]}`:                                                    `required lists "b"`,
		// Another keyword may declare it.
		`{"type":"object","required":["a"],"allOf":[{"properties":{"a":{}}}]}`:                "",
		`{"type":"object","required":["a"],"oneOf":[{"properties":{"a":{}}},{}]}`:             "",
		`{"type":"object","required":["a"],"$ref":"#/$defs/x","$defs":{"x":{}}}`:              "",
		`{"type":"object","required":["a"],"patternProperties":{"^a":{}}}`:                    "",
		`{"type":"object","required":["a"],"additionalProperties":{"type":"string"}}`:         "",
		`{"type":"object","required":["a"],"dependentSchemas":{"a":{"properties":{"a":{}}}}}`: "",
		`{"type":"object","required":["a"],"if":{},"then":{"properties":{"a":{}}}}`:           "",
	} {
		err := compile(t, raw).CheckObject()
		var mistake *jsonschema.Problem
		if want == "" && err != nil || want != "" && (!errors.As(err, &mistake) || !strings.Contains(err.Error(), want)) {
			t.Errorf("CheckObject() of %s = %v, want %q", raw, err, want)
		}
	}
}
