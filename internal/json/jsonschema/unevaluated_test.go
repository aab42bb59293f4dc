package jsonschema_test

import (
	"fmt"
	"strings"
	"testing"
)

func TestUnevaluatedPartsAreNamed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		schema, data string
		want         []string
	}{
		// Numbers are exact together with the keyword.
		{`{"type":"object","properties":{"price":{"multipleOf":0.01}},"unevaluatedProperties":false}`, `{"price":19.99}`, nil},
		{`{"properties":{"id":{"const":9007199254740993}},"unevaluatedProperties":false}`, `{"id":9007199254740993}`, nil},
		{`{"properties":{"id":{"const":9007199254740993}},"unevaluatedProperties":false}`, `{"id":9007199254740992}`,
			[]string{"/id: must be 9007199254740993, got 9007199254740992"}},
		// A suggestion may come from any schema that applies.
		{`{"allOf":[{"properties":{"street":{}}}],"properties":{"city":{"type":"string"}},"unevaluatedProperties":false}`, `{"city":1,"stret":1,"zip":2}`,
			[]string{"/city: must be a string, got the number 1", `/stret: unknown property; did you mean "street"?`, "/zip: unknown property"}},
		{`{"properties":{"a":{"prefixItems":[{}],"contains":{"type":"string"},"unevaluatedItems":false}}}`, `{"a":[1,"x",2]}`, []string{"/a/2: must be absent"}},
		{`{"properties":{"a/b":{"unevaluatedProperties":{"type":"string"}}}}`, `{"a/b":{"\u0063":1}}`, []string{"/a~1b/c: must be a string, got the number 1"}},
		{`{"unevaluatedItems":{"type":"string"}}`, `["a",1]`, []string{"/1: must be a string, got the number 1"}},
		// If no member of a union fits, it is unknown which parts it would have evaluated.
		{`{"oneOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"required":["b"]}],"unevaluatedProperties":false}`, `{"a":1,"c":2}`,
			[]string{`the value: must be exactly one of: an object with "a", or an object with "b", got an object`}},
		{`{"type":"array","unevaluatedProperties":false}`, `{"a":1}`, []string{"the value: must be an array, got an object"}},
		// A schema that fails evaluates no parts. Neither does one beside the schema with the
		// keyword.
		{`{"not":{"unevaluatedProperties":false}}`, `{"a":1}`, nil},
		{`{"not":{"unevaluatedProperties":false}}`, `{}`, []string{"the value: must be anything but any value, got an object"}},
		{`{"properties":{"a":{}},"allOf":[{"unevaluatedProperties":false}]}`, `{"a":1}`, []string{"/a: unknown property"}},
		{`{"allOf":[{"unevaluatedItems":false,"properties":{"a":{}}}],"unevaluatedProperties":false}`, `{"a":1}`, nil},
		// References may be recursive.
		{`{"properties":{"next":{"$ref":"#"},"v":{}},"unevaluatedProperties":false}`, `{"next":{"next":{"v":1,"w":2}}}`, []string{"/next/next/w: unknown property"}},
		{`{"$ref":"#/$defs/n","unevaluatedProperties":false,"$defs":{"n":{"properties":{"c":{"items":{"$ref":"#"}}}}}}`, `{"c":[{"c":[{"d":1}]}]}`,
			[]string{"/c/0/c/0/d: unknown property"}},
		{`{"$id":"https://a.test/tree","$dynamicAnchor":"n","properties":{"c":{"items":{"$dynamicRef":"#n"}}},"unevaluatedProperties":false}`, `{"c":[{"d":1}]}`,
			[]string{"/c/0/d: unknown property"}},
	} {
		assertViolations(t, compile(t, tt.schema).Validate([]byte(tt.data)), tt.data+" by "+tt.schema, tt.want)
	}
}

// Marks take several words of 64 bits, also if the marks of one rule are merged into another's.
// An item that is itself an array has marks of its own.
func TestUnevaluatedPartsHaveTheirOwnMarks(t *testing.T) {
	t.Parallel()
	v := compile(t, `{"unevaluatedItems":{"items":{"type":"integer"}}}`)
	data := `[` + strings.Repeat(`[1],`, 64) + `["x"]]`
	assertViolations(t, v.Validate([]byte(data)), data, []string{"/64/0: must be an integer, got a string"})
}

func TestManyPartsAreEvaluated(t *testing.T) {
	t.Parallel()
	object := compile(t, `{"anyOf":[{"patternProperties":{"^a":{}},"required":["a0"]},{"patternProperties":{"^b":{}}},{"allOf":[{"patternProperties":{"^c":{}}}]}],
		"unevaluatedProperties":false}`)
	array := compile(t, `{"anyOf":[{"contains":{"type":"string"}},{"contains":{"type":"null"}}],"unevaluatedItems":{"type":"boolean"}}`)
	var members, items []string
	for range 100 {
		for _, letter := range []string{"a", "b", "c"} {
			members = append(members, `"`+letter+strings.Repeat("0", len(members)/3+1)+`":1`)
		}
		items = append(items, `"x"`, `null`, `true`)
	}
	if got := object.Validate([]byte("{" + strings.Join(members, ",") + "}")); got != nil {
		t.Errorf("300 members: %v", got)
	}
	if got := array.Validate([]byte("[" + strings.Join(items, ",") + "]")); got != nil {
		t.Errorf("300 items: %v", got)
	}
	if got := object.Validate([]byte("{" + strings.Join(members[1:], ",") + "}")); len(got) != 20 || got[1].Pointer != "/a000" {
		t.Errorf("the properties of a failing member of the union result in %v", got)
	}
	assertViolations(t, array.Validate([]byte("["+strings.Join(items, ",")+",3]")), "items", []string{"/300: must be a boolean, got the number 3"})
}

func TestWorkOnUnevaluatedPartsIsLimited(t *testing.T) {
	t.Parallel()
	v := compile(t, `{"anyOf":[{"properties":{"a":{"$ref":"#"}},"unevaluatedProperties":false},{"properties":{"a":{"$ref":"#"}},"unevaluatedProperties":true}],
		"unevaluatedProperties":{"not":{}}}`)
	data := strings.Repeat(`{"a":`, 60) + "1" + strings.Repeat("}", 60)
	if got := v.Validate([]byte(data)); len(got) != 1 || got[0].Rule != "work" {
		t.Errorf("exponential work results in %v, want one violation of work", got)
	}
}

// Two paths to each of 30 schemas make 2^30 paths to the last one.
func TestNamesOnManyPathsAreReadOnce(t *testing.T) {
	t.Parallel()
	defs := []string{`"d30":{"properties":{"name":{}}}`}
	for i := range 30 {
		defs = append(defs, fmt.Sprintf(`"d%d":{"if":false,"then":{"$ref":"#/$defs/d%d"},"dependentSchemas":{"x":{"$ref":"#/$defs/d%d"}}}`, i, i+1, i+1))
	}
	v := compile(t, `{"$ref":"#/$defs/d0","unevaluatedProperties":false,"$defs":{`+strings.Join(defs, ",")+`}}`)
	assertViolations(t, v.Validate([]byte(`{"nam":1}`)), "a misspelt name", []string{`/nam: unknown property; did you mean "name"?`})
}

func BenchmarkUnevaluated(b *testing.B) {
	v := compile(b, `{"type":"object","properties":{"message":{"type":"string","maxLength":10000},"repeat":{"type":"integer","minimum":1,"maximum":10}},`+
		`"allOf":[{"properties":{"tags":{"type":"array","items":{"type":"string"}}}}],"required":["message"],"unevaluatedProperties":false}`)
	data := []byte(`{"message":"hello","repeat":2,"tags":["a","b"]}`)
	b.ReportAllocs()
	for b.Loop() {
		if v.Validate(data) != nil {
			b.Fatal("the data is refused")
		}
	}
}
