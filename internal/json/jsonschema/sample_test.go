package jsonschema_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/json/jsonschema"
)

func TestASampleIsWhatTheSchemaAllows(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ schema, want string }{
		{`{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"string"}},"required":["b"],"additionalProperties":false}`, `{"a":0,"b":""}`},
		{`{"type":"object","properties":{"a":{"type":"array","items":{"type":"boolean"}}}}`, `{"a":[true]}`},
		{`{"type":"object","properties":{"a":{"type":"array","items":{"type":"null"},"minItems":2},"b":{"type":"array","maxItems":0},"c":{"type":"array"}},"required":["a"]}`,
			`{"a":[null,null],"b":[],"c":[]}`},
		{`{"type":"object","additionalProperties":{"type":"number","minimum":2.5},"propertyNames":{"enum":["x"]}}`, `{"x":2.5}`},
		{`{"properties":{"a":{"enum":["k","l"]},"b":{"const":7},"c":{"default":[3]},"d":{},"e":{"type":["integer","null"],"exclusiveMinimum":4}},"required":["a"]}`,
			`{"a":"k","b":7,"c":[3],"d":"","e":5}`},
		{`{"properties":{"a":{"anyOf":[{"type":"integer"},{"type":"string"}]},"b":{"oneOf":[{"type":"object"}]},"c":{"allOf":[{"type":"integer"}],"minimum":3}}}`,
			`{"a":0,"b":{}}`}, // what allOf allows is not always what its first member does
		{`{"properties":{"a":{"type":"string","minLength":3},"b":{"type":"string","pattern":"^x{9}$"},"c":{"type":"string","minLength":8,"pattern":"^A*$"}}}`, `{"a":"AA==","c":"AAAAAAAA"}`},
		{`{"properties":{"a":{"type":"string","pattern":"^x{9}$"}},"required":["a"]}`, ``},
		{`{"properties":{"a":false},"minProperties":1}`, ``},
		{`{"type":"object","properties":{"a":{"type":"number","multipleOf":5,"minimum":5},"b":{"type":"number","maximum":-2}},"required":["a","b"]}`, `{"a":5,"b":-2}`},
		{`{"type":"object","properties":{"next":{"$ref":"#"},"more":{"type":"array","items":{"$ref":"#"}}}}`, `{"more":[]}`},
		{`{"type":"object","properties":{"next":{"$ref":"#/$defs/n"}},"required":["next"],"$defs":{"n":{"type":["object","null"],"properties":{"next":{"$ref":"#/$defs/n"}},"required":["next"]}}}`,
			`{"next":{"next":null}}`},
		{`{"type":"object","properties":{"next":{"$ref":"#/$defs/n"}},"required":["next"],"$defs":{"n":{"type":"object","properties":{"next":{"$ref":"#/$defs/n"}},"required":["next"]}}}`, ``},
		{`{"type":"array","minItems":2000}`, ``},
		{`{"type":"array","items":{"type":"boolean"},"minItems":999}`, "[" + strings.Repeat("true,", 998) + "true]"}, // 1000 values with the array
		{`{"type":"array","items":{"type":"boolean"},"minItems":1000}`, ``},
		{`{"type":"integer","exclusiveMaximum":-5}`, `-6`},
		{`{"type":"boolean"}`, `true`},
		{`true`, `""`},
	} {
		validator, problems := jsonschema.Compile([]byte(test.schema), jsonschema.Options{})
		if problems != nil {
			t.Errorf("%s: %v", test.schema, problems)
			continue
		}
		got, ok := validator.Sample()
		if ok != (test.want != "") || ok && string(got) != test.want {
			t.Errorf("%s: got %s, %t, want %s", test.schema, got, ok, test.want)
		}
	}
}

// A schema whose definitions each name the one before twice has samples of any size.
func TestASampleIsBounded(t *testing.T) {
	t.Parallel()
	schema := `{"$ref":"#/$defs/d30","$defs":{"d0":{"type":"integer"}`
	for i := range 30 {
		schema += strings.NewReplacer("NEXT", strconv.Itoa(i+1), "THIS", strconv.Itoa(i)).Replace(`,"dNEXT":{"properties":{"a":{"$ref":"#/$defs/dTHIS"},"b":{"$ref":"#/$defs/dTHIS"}},"required":["a","b"]}`)
	}
	validator, problems := jsonschema.Compile([]byte(schema+"}}"), jsonschema.Options{})
	if problems != nil {
		t.Fatal(problems)
	}
	if sample, _ := validator.Sample(); len(sample) > 20_000 {
		t.Errorf("it has a sample of %d bytes", len(sample))
	}
}

func TestChecksOfNamesAndWidths(t *testing.T) {
	t.Parallel()
	validator, problems := jsonschema.Compile([]byte(`{"type":"object","properties":{"known":{}},"additionalProperties":{"type":"number"}}`), jsonschema.Options{Checks: map[string]jsonschema.Checks{
		"":                      {Names: "uint8"},
		"/additionalProperties": {Fits: jsonschema.Float32},
	}})
	if problems != nil {
		t.Fatal(problems)
	}
	for data, want := range map[string]string{
		`{"0":1,"255":3.4028235e38}`: "",
		`{"256":1}`:                  "/256: its name must be an integer from 0 to 255, as text",
		`{"-1":1}`:                   "/-1: its name must be an integer from 0 to 255, as text",
		`{"known":1}`:                "/known: its name must be an integer from 0 to 255, as text",
		`{"1":3.5e38}`:               "/1: must fit a 32-bit floating-point number",
		`{"1":-3.5e38}`:              "/1: must fit a 32-bit floating-point number",
		`{"1":1e400}`:                "/1: must fit a 64-bit floating-point number",
	} {
		var lines []string
		for _, violation := range validator.Validate([]byte(data)) {
			lines = append(lines, violation.String())
		}
		if got := strings.Join(lines, "\n"); got != want {
			t.Errorf("%s: got %q, want %q", data, got, want)
		}
	}
}
