package jsonschema_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/jsonschema"
)

// fixed is a schema with most keywords.
const fixed = `{"type":"object","properties":{
	"message":{"type":"string","minLength":1,"maxLength":5,"pattern":"^[a-zé😀\\n]*$"},
	"repeat":{"type":"integer","minimum":-3,"exclusiveMaximum":100,"default":3},
	"ratio":{"type":["number","null"],"multipleOf":0.1},
	"kind":{"enum":["a",1,null,{"b":[2]}]},
	"tags":{"type":"array","items":{"type":"string"},"minItems":1,"maxItems":4,"uniqueItems":true},
	"next":{"$ref":"#"},
	"either":{"oneOf":[{"type":"string"},{"type":"array","contains":{"type":"integer"}},{"required":["x"],"type":"object"}]},
	"open":{"type":"object","patternProperties":{"^x":{"type":"boolean"}},"additionalProperties":{"not":{"type":"null"}},"propertyNames":{"maxLength":3}}
},"required":["message"],"dependentRequired":{"repeat":["tags"]},"additionalProperties":false}`

func FuzzValidate(f *testing.F) {
	for _, seed := range []string{
		`{"message":"hello","repeat":2,"tags":["a","b"]}`, `{"message":"\u00e9\ud83d\ude00","ratio":-0.5e-3}`, `{"message":"a","kind":{"b":[2.0]}}`,
		`{"message":"a","next":{"message":"b","either":[1]}}`, `{"open":{"x1":true,"y":1,"long":2}}`, `[1,{"a":1,"a":2}]`, `"\ud800"`, "\"\xff\"", `{`, ``, `01`, `nul`, "[[[[", `1e400`, `{"message":"ıııııııııı","repeat":9007199254740993.0,"ratio":1e400}`,
	} {
		f.Add([]byte(seed))
	}
	free, v := compile(f, `{}`), compile(f, fixed)
	// Equivalent schemas must have the same verdict.
	others := []*jsonschema.Validator{
		compile(f, strings.Replace(fixed, "additionalProperties\":false}", "unevaluatedProperties\":false}", 1)),
		compile(f, `{"$ref":"#/$defs/a","unevaluatedProperties":false,"unevaluatedItems":false,"$defs":{"a":{"$id":"a",`+fixed[1:]+`}}`),
		compile(f, `{"anyOf":[false,{"allOf":[{"if":true,"then":{"$ref":"#/$defs/a"}}]}],"$defs":{"a":{"$id":"a",`+fixed[1:]+`}}`),
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		violations := free.Validate(data)
		valid := violations == nil
		if !valid && violations[0].Rule == "depth" {
			return
		}
		if valid != codec.Valid(data) {
			t.Fatalf("valid = %v, the codec says %v: %q, %v", valid, codec.Valid(data), data, violations)
		}
		if valid && !json.Valid(data) {
			t.Fatalf("encoding/json refuses what is valid: %q", data)
		}
		found := v.Validate(data)
		for _, violation := range found {
			_ = violation.String()
		}
		filled := v.WithDefaults(v.Coerce(data, jsonschema.Coercion{}))
		if valid && !codec.Valid(filled) {
			t.Fatalf("conversion breaks the JSON: %q becomes %q", data, filled)
		}
		for i, other := range others {
			if got := other.Validate(data); (got == nil) != (found == nil) {
				t.Fatalf("Validate(%q) = %v, said in another way (%d) %v", data, found, i, got)
			}
		}
	})
}

func FuzzCompile(f *testing.F) {
	for _, seed := range []string{
		fixed, `{}`, `true`, `{"$ref":"#/$defs/a","$defs":{"a":{"$anchor":"b","anyOf":[{"$ref":"#b"}]}}}`, `{"unevaluatedProperties":false,"allOf":[{"properties":{"a":{}}}]}`,
		`{"$id":"https://a/b","properties":{"x":{"$id":"c","$dynamicAnchor":"d","items":{"$dynamicRef":"#d"}}}}`, `{"enum":[],"const":{"a":[]},"multipleOf":1e300}`,
		`{"if":{"minimum":1},"then":{"maximum":2},"else":false}`, `{"unevaluatedItems":{"type":"string"},"prefixItems":[{}],"contains":{"not":{}}}`,
		`{"properties":{"a":{"type":"string","x-mcp-header":"A"}},"dependentSchemas":{"a":{"$ref":"#/properties/a"}}}`, `{"type":["null",1]}`, `{"required":[`,
		`{"dependencies":{"a":["b"]},"additionalItems":false,"$recursiveRef":"#"}`, `{"pattern":"^[\\s\\S]\\u0041\\cA.$[]","patternProperties":{"[^]":{}}}`,
	} {
		f.Add([]byte(seed), []byte(`{"a":[1,"x",{"b":null}]}`))
	}
	f.Fuzz(func(t *testing.T, raw, data []byte) {
		v, problems := jsonschema.Compile(raw, jsonschema.Options{})
		if problems != nil {
			return
		}
		if again, problems := jsonschema.Compile(v.Schema(), jsonschema.Options{}); problems != nil || string(again.Schema()) != string(v.Schema()) {
			t.Fatalf("the schema of a validator does not compile to itself: %s: %v", v.Schema(), problems)
		}
		for _, violation := range v.Validate(data) {
			_ = violation.String()
		}
		_ = v.WithDefaults(v.Coerce(data, jsonschema.Coercion{}))
	})
}
