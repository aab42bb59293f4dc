package schema_test

import (
	"encoding/json"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/internal/codec"
)

// fixed has keywords that google/jsonschema-go reads in the same way.
const fixed = `{"type":"object","properties":{
	"message":{"type":"string","minLength":1,"maxLength":5,"pattern":"^[a-zé😀\\n]*$"},
	"repeat":{"type":"integer","minimum":-3,"exclusiveMaximum":100},
	"ratio":{"type":["number","null"]},
	"kind":{"enum":["a",1,null,{"b":[2]}]},
	"tags":{"type":"array","items":{"type":"string"},"minItems":1,"maxItems":4,"uniqueItems":true},
	"next":{"$ref":"#"},
	"either":{"oneOf":[{"type":"string"},{"type":"array","contains":{"type":"integer"}},{"required":["x"],"type":"object"}]},
	"open":{"type":"object","patternProperties":{"^x":{"type":"boolean"}},"additionalProperties":{"not":{"type":"null"}},"propertyNames":{"maxLength":3}}
},"required":["message"],"dependentRequired":{"repeat":["tags"]},"additionalProperties":false}`

func FuzzValidate(f *testing.F) {
	for _, seed := range []string{
		`{"message":"hello","repeat":2,"tags":["a","b"]}`, `{"message":"\u00e9\ud83d\ude00","ratio":-0.5e-3}`, `{"message":"a","kind":{"b":[2.0]}}`,
		`{"message":"a","next":{"message":"b","either":[1]}}`, `{"open":{"x1":true,"y":1,"long":2}}`, `[1,{"a":1,"a":2}]`, `"\ud800"`, "\"\xff\"", `{`, ``, `01`, `nul`, "[[[[", `1e400`,
	} {
		f.Add([]byte(seed))
	}
	free, err := schema.Compile([]byte(`{}`))
	if err != nil {
		f.Fatal(err)
	}
	ours, err := schema.Compile([]byte(fixed))
	if err != nil {
		f.Fatal(err)
	}
	built := builtForFuzzing(f)
	var parsed jsonschema.Schema
	if err := json.Unmarshal([]byte(fixed), &parsed); err != nil {
		f.Fatal(err)
	}
	theirs, err := parsed.Resolve(nil)
	if err != nil {
		f.Fatal(err)
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
		for _, v := range []*schema.Validator{ours, built} {
			for _, violation := range v.Validate(data) {
				_ = violation.String()
			}
			filled := v.WithDefaults(v.Coerce(data))
			if valid && !codec.Valid(filled) {
				t.Fatalf("conversion breaks the JSON: %q becomes %q", data, filled)
			}
			if v.Validate(data) == nil && v.Validate(filled) != nil {
				t.Fatalf("conversion breaks valid data: %q becomes %q: %v", data, filled, v.Validate(filled))
			}
		}
		if !valid {
			return
		}
		var value any
		if err := json.Unmarshal(data, &value); err != nil {
			return // a number that float64 lacks
		}
		if exact, err := json.Marshal(value); err != nil || !sameNumbers(exact, data) {
			return // rounded, and no longer the same question
		}
		if got, want := ours.Validate(data), theirs.Validate(value); (got == nil) != (want == nil) {
			t.Fatalf("Validate(%s) = %v, google/jsonschema-go says %v", data, got, want)
		}
	})
}

// sameNumbers reports whether two texts are the same values; an array of one and a unique one of both would differ.
func sameNumbers(a, b []byte) bool {
	pair := append(append(append(append([]byte("["), a...), ','), b...), ']')
	v, err := schema.Compile([]byte(`{"uniqueItems":true}`))
	return err == nil && v.Validate(pair) != nil
}

func builtForFuzzing(f *testing.F) *schema.Validator {
	f.Helper()
	object := schema.New().Open()
	object.String("message").Format("email").Default("a@b.c")
	object.Integer("repeat").Default(3)
	object.Boolean("ratio").Nullable()
	nested := object.Object("next").Open()
	nested.Number("n").MultipleOf(0.1).Default(0.3)
	nested.String("message").Default("x")
	object.Objects("tags").Items().Open().Integer("x").Default(1)
	v, err := object.Compile()
	if err != nil {
		f.Fatal(err)
	}
	return v
}

func FuzzCompile(f *testing.F) {
	for _, seed := range []string{
		fixed, `{}`, `true`, `{"$ref":"#/$defs/a","$defs":{"a":{"$anchor":"b","anyOf":[{"$ref":"#b"}]}}}`, `{"unevaluatedProperties":false,"allOf":[{"properties":{"a":{}}}]}`,
		`{"$id":"https://a/b","properties":{"x":{"$id":"c","$dynamicAnchor":"d","items":{"$dynamicRef":"#d"}}}}`, `{"enum":[],"const":{"a":[]},"multipleOf":1e300}`,
		`{"if":{"minimum":1},"then":{"maximum":2},"else":false}`, `{"unevaluatedItems":{"type":"string"},"prefixItems":[{}],"contains":{"not":{}}}`,
		`{"properties":{"a":{"type":"string","x-mcp-header":"A"}},"dependentSchemas":{"a":{"$ref":"#/properties/a"}}}`, `{"type":["null",1]}`, `{"required":[`,
	} {
		f.Add([]byte(seed), []byte(`{"a":[1,"x",{"b":null}]}`))
	}
	f.Fuzz(func(t *testing.T, raw, data []byte) {
		v, err := schema.Compile(raw)
		if err != nil {
			return
		}
		if again, err := schema.Compile(v.Schema()); err != nil || string(again.Schema()) != string(v.Schema()) {
			t.Fatalf("the schema of a validator does not compile to itself: %s: %v", v.Schema(), err)
		}
		for _, violation := range v.Validate(data) {
			_ = violation.String()
		}
		_ = v.WithDefaults(v.Coerce(data))
	})
}
