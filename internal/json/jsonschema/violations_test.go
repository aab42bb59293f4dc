package jsonschema_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/json/jsonschema"
)

func TestViolations(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		schema, data string
		want         []string
	}{
		// Types, and exact numbers.
		{`{"type":"string"}`, `3`, []string{"the value: must be a string, got the number 3"}},
		{`{"type":["integer","null"]}`, `{}`, []string{"the value: must be an integer or null, got an object"}},
		{`{"type":"integer"}`, `1.0`, nil},
		{`{"type":"integer"}`, `12.50e1`, nil},
		{`{"type":"integer"}`, `1.5`, []string{"the value: must be an integer, got the number 1.5"}},
		{`{"type":"integer"}`, `1e-999999999999999999999`, []string{"the value: must be an integer, got the number 1e-999999999999999999999"}},
		{`{"maximum":9007199254740992}`, `9007199254740993`, []string{"the value: must be a number of at most 9007199254740992, got 9007199254740993"}},
		{`{"type":"number","maximum":1e400}`, `1e401`, []string{"the value: must be a number of at most 1e400, got 1e401"}},
		{`{"type":"number","minimum":-0.1}`, `-0.10000000000000000001`, []string{"the value: must be a number of at least -0.1, got -0.10000000000000000001"}},
		{`{"type":"number","minimum":0}`, `-0.0`, nil},
		{`{"type":"number","exclusiveMinimum":1,"exclusiveMaximum":2}`, `1`, []string{"the value: must be a number greater than 1 less than 2, got 1"}},
		{`{"type":"number","exclusiveMinimum":1,"exclusiveMaximum":2}`, `1.5`, nil},
		{`{"type":"number","multipleOf":0.1}`, `0.3`, nil},
		{`{"type":"number","multipleOf":0.01}`, `1e300`, nil},
		{`{"type":"number","multipleOf":3}`, `1e300`, []string{"the value: must be a number that is a multiple of 3, got 1e300"}},
		{`{"type":"number","multipleOf":3e300}`, `6e300`, nil},
		{`{"type":"number","multipleOf":0.5}`, `4.6`, []string{"the value: must be a number that is a multiple of 0.5, got 4.6"}},
		{`{"type":"integer","multipleOf":7}`, `7777777777777777777777777777777777777777`, nil},

		// Strings, counted in code points.
		{`{"type":"string","minLength":2}`, `"é"`, []string{"the value: must be a string of at least 2 characters, got 1 character"}},
		{`{"type":"string","maxLength":1}`, `"\ud83d\ude00"`, nil},
		{`{"type":"string","maxLength":1}`, `"😀"`, nil},
		{`{"type":"string","pattern":"^\\p{Lu}"}`, `"\u00c4"`, nil},
		{`{"type":"string","pattern":"^a$"}`, `"b"`, []string{`the value: must be a string that matches ^a$, got another string`}},
		{`{"type":"string","format":"email"}`, `"not an address"`, nil},

		{`{"type":"string","maxLength":0}`, `"a"`, []string{"the value: must be a string of at most 0 characters, got 1 character"}},
		{`{"type":"string","maxLength":0,"pattern":"b"}`, `"a"`, []string{"the value: must be a string of at most 0 characters that matches b, got 1 character"}},
		{`{"type":"string","maxLength":1,"pattern":"b"}`, `"a"`, []string{"the value: must be a string of at most 1 character that matches b, got another string"}},

		// Enumerations and constants.
		{`{"enum":["add","subtract"]}`, `"subtrakt"`, []string{`the value: must be one of "add", "subtract", got "subtrakt"; did you mean "subtract"?`}},
		{`{"enum":["a\u0062"]}`, `"\u0061b"`, nil},
		{`{"enum":[1,{"a":[1.0,"x"],"b":null}]}`, `{"b":null,"a":[1,"\u0078"]}`, nil},
		{`{"const":1}`, `1.0`, nil},
		{`{"const":1}`, `true`, []string{"the value: must be 1, got true"}},
		{`{"const":"a","enum":["b"]}`, `"a"`, []string{`the value: must be "b", got "a"`}},
		{`{"const":"a","enum":["b"]}`, `"b"`, []string{`the value: must be "a", got "b"`}},
		{`{"type":"string","enum":["a"]}`, `3`, []string{`the value: must be "a", got the number 3`}},
		{`{"const":1}`, `{}`, []string{"the value: must be 1, got an object"}},
		{`{"const":1}`, `[]`, []string{"the value: must be 1, got an array"}},
		{`{"const":1}`, strings.Repeat("9", 32), []string{"the value: must be 1, got " + strings.Repeat("9", 32)}},
		{`{"const":1}`, strings.Repeat("9", 33), []string{"the value: must be 1, got a number"}},
		{`{"type":"null"}`, strings.Repeat("9", 32), []string{"the value: must be null, got the number " + strings.Repeat("9", 32)}},
		{`{"type":"null"}`, strings.Repeat("9", 33), []string{"the value: must be null, got a number"}},
		{`{"enum":[` + ones(20) + `]}`, `2`, []string{"the value: must be one of " + strings.ReplaceAll(ones(20), ",", ", ") + ", got 2"}},
		{`{"enum":[` + ones(21) + `]}`, `2`, []string{"the value: must be one of " + strings.ReplaceAll(ones(20), ",", ", ") + " and others, got 2"}},
		{`{"const":"` + strings.Repeat("x", 58) + `"}`, `2`, []string{`the value: must be "` + strings.Repeat("x", 58) + `", got 2`}},
		{`{"const":"` + strings.Repeat("x", 59) + `"}`, `2`, []string{"the value: must be a certain string, got 2"}},

		// Arrays.
		{`{"type":"array","items":{"type":"integer"},"minItems":1}`, `[1,"2",[]]`, []string{"/1: must be an integer, got a string", "/2: must be an integer, got an array"}},
		{`{"type":"array","minItems":1}`, `[]`, []string{"the value: must be an array of at least 1 item, got 0 items"}},
		{`{"type":"array","maxItems":1}`, `[1,2]`, []string{"the value: must be an array of at most 1 item, got 2 items"}},
		{`{"maxItems":0}`, `[1]`, []string{"the value: must be an array of at most 0 items, got 1 item"}},
		{`{"contains":{"type":"null"},"minContains":0,"maxContains":0}`, `[null]`, []string{"the value: must be an array that contains null 0 to 0 times, got an array"}},
		{`{"contains":{"type":"null"},"minContains":2}`, `[null]`, []string{"the value: must be an array that contains null at least 2 times, got an array"}},
		{`{"type":"array","items":{"type":"integer"},"enum":[[1]]}`, `["x"]`, []string{"/0: must be an integer, got a string", "the value: must be [1], got an array"}},
		{`{"uniqueItems":true}`, `[1,"1",1.0]`, []string{"/2: must be different from item 0"}},
		{`{"uniqueItems":true}`, `[{"a":1,"b":2},{"b":2,"a":1}]`, []string{"/1: must be different from item 0"}},
		{`{"uniqueItems":true}`, `["a","\u0061"]`, []string{"/1: must be different from item 0"}},
		{`{"uniqueItems":true}`, `[` + numbers(40) + `,7]`, []string{"/40: must be different from item 7"}},
		{`{"uniqueItems":true}`, `[0,-0]`, []string{"/1: must be different from item 0"}},
		{`{"type":"array","contains":{"type":"string"}}`, `[1]`, []string{"the value: must be an array that contains a string, got an array"}},
		{`{"prefixItems":[{"type":"string"}],"items":false}`, `[1,2]`, []string{"/0: must be a string, got the number 1", "/1: must be absent"}},

		// Objects: members in the order of the data, then missing ones in the order of
		// declaration.
		{`{"properties":{"z":{"type":"integer"},"a":{"type":"string"}},"required":["z","a","m"]}`, `{"b":1}`,
			[]string{"/z: required, an integer", "/a: required, a string", "/m: required"}},
		{`{"properties":{"message":{}},"additionalProperties":false}`, `{"mesage":1,"other":2}`,
			[]string{`/mesage: unknown property; did you mean "message"?`, `/other: unknown property`}},
		{`{"properties":{"page_id":{}},"additionalProperties":false}`, `{"pageId":1}`, []string{`/pageId: unknown property; did you mean "page_id"?`}},
		{`{"additionalProperties":{"type":"string"}}`, `{"a~/b":1}`, []string{"/a~0~1b: must be a string, got the number 1"}},
		{`{"patternProperties":{"^n":{"type":"number"}},"additionalProperties":false}`, `{"n":"x","m":1}`,
			[]string{"/n: must be a number, got a string", "/m: unknown property"}},
		{`{"propertyNames":{"maxLength":2,"type":"string"}}`, `{"abc":1}`, []string{"/abc: must be a string of at most 2 characters, got 3 characters"}},
		{`{"type":"object","minProperties":2}`, `{"a":1}`, []string{"the value: must be an object of at least 2 properties, got 1 property"}},
		{`{"dependentRequired":{"a":["b"]}}`, `{"a":1}`, []string{`/b: required, because "a" is given`}},
		{`{"properties":{"a":false}}`, `{"a":1}`, []string{"/a: must be absent"}},
		{`{}`, `{"a":{"b":1,"b":2}}`, []string{"/a/b: this property is given twice; give it once"}},
		{`{"properties":{"b":{}}}`, `{"b":1,"\u0062":2}`, []string{"/b: this property is given twice; give it once"}},
		{`{"properties":{"a":{"type":"object","required":["x"]},"b":{"type":"string"}}}`, `{"a":{},"b":1}`,
			[]string{"/a/x: required", "/b: must be a string, got the number 1"}},

		// Composition.
		{`{"anyOf":[{"type":"string"},{"type":"integer","minimum":5}]}`, `true`, []string{"the value: must be a string, or an integer of at least 5, got a boolean"}},
		{`{"anyOf":[{"type":"string"},{"type":"integer","minimum":5}]}`, `3`, []string{"the value: must be an integer of at least 5, got 3"}},
		{`{"oneOf":[{"type":"integer"},{"type":"number"}]}`, `3`, []string{"the value: must be exactly one of: an integer, or a number, got a number"}},
		{`{"properties":{"a":{"anyOf":[{"type":"string"},{"type":"integer","minimum":5}]},"b":{"type":"string"}}}`, `{"a":3,"b":1}`,
			[]string{"/a: must be an integer of at least 5, got 3", "/b: must be a string, got the number 1"}},
		{`{"not":{"type":"null"}}`, `null`, []string{"the value: must be anything but null, got null"}},
		{`{"allOf":[{"required":["a"]},{"required":["a","b"]}]}`, `{}`, []string{"/a: required", "/b: required"}},
		{`{"anyOf":[{"required":["phone"]},{"required":["email"]}]}`, `{}`, []string{`the value: must be an object with "phone", or an object with "email", got an object`}},
		{`{"if":{"properties":{"k":{"const":1}}},"then":{"required":["a"]},"else":{"required":["b"]}}`, `{"k":2}`, []string{"/b: required"}},
		{`{"$ref":"#/$defs/n","$defs":{"n":{"type":"object","properties":{"next":{"$ref":"#/$defs/n"}},"additionalProperties":false}}}`, `{"next":{"next":{"x":1}}}`,
			[]string{"/next/next/x: unknown property"}},
		{`{"type":"object","properties":{"a":{}},"unevaluatedProperties":false}`, `{"b":1}`,
			[]string{"/b: unknown property"}},
		{`{"properties":{"x":{}},"anyOf":[{"properties":{"a":{}},"required":["b"]},{"required":["a"]}],"unevaluatedProperties":false}`, `{"x":1,"a":1}`,
			[]string{`/a: unknown property; did you mean "a"?`}},

		// Invalid JSON.
		{`{}`, ``, []string{"the value: must be valid JSON: it ends too early, after byte 0"}},
		{`{"type":"string"}`, `{"a":1`, []string{"the value: must be valid JSON: it ends too early, after byte 6"}},
		{`{"type":"string"}`, `1 2`, []string{"the value: must be valid JSON: it breaks at byte 2"}},
		{`{}`, "\"\xff\"", []string{"the value: must be valid JSON: it breaks at byte 0"}},
		{`{}`, `"\ud800"`, []string{"the value: must be valid JSON: it breaks at byte 0"}},
		{`{}`, "{\"\xff\":1}", []string{"the value: must be valid JSON: it breaks at byte 1"}},
		{`{}`, `{"\x":1}`, []string{"the value: must be valid JSON: it breaks at byte 1"}},
		{`{}`, `{"a"`, []string{"the value: must be valid JSON: it ends too early, after byte 4"}},
		{`{}`, `01`, []string{"the value: must be valid JSON: it breaks at byte 1"}},
		{`{}`, `[1,]`, []string{"the value: must be valid JSON: it breaks at byte 3"}},
		{`{}`, `{"a" 1}`, []string{"the value: must be valid JSON: it breaks at byte 5"}},
	} {
		assertViolations(t, compile(t, tt.schema).Validate([]byte(tt.data)), tt.data+" by "+tt.schema, tt.want)
	}
}

func ones(n int) string { return strings.Repeat("1,", n-1) + "1" }

// A description goes a few levels deep, however deep the schema is.
func TestDescriptionsAreShort(t *testing.T) {
	t.Parallel()
	nest := func(levels int, before, inner, after string) string {
		return strings.Repeat(before, levels) + inner + strings.Repeat(after, levels)
	}
	const null = `{"type":"null"}`
	for _, tt := range []struct{ schema, data, want string }{
		{nest(4, `{"anyOf":[`, null, `]}`), `null`, "any value"},
		{nest(4, `{"oneOf":[`, null, `]}`), `null`, "any value"},
		{nest(4, `{"allOf":[`, null, `]}`), `null`, "any value"},
		{nest(3, `{"allOf":[`, null, `]}`), `null`, "null"},
		{nest(4, `{"type":"array","contains":`, null, `}`), `[[[[null]]]]`, "an array that contains an array that contains an array that contains an array"},
		{`{"properties":{"z":{}},"required":["a","b","c","d","e","f","g","h","i"]}`, `{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1}`,
			`an object with "a", "b", "c", "d", "e", "f", "g", "h"`},
	} {
		violations := compile(t, `{"not":`+tt.schema+`}`).Validate([]byte(tt.data))
		if len(violations) != 1 || violations[0].Expected != "anything but "+tt.want {
			t.Errorf("not %s: %v, want %q", tt.schema, violations, tt.want)
		}
	}
}

func numbers(n int) string {
	var list []string
	for i := range n {
		list = append(list, strings.Repeat("9", i/10)+string(rune('0'+i%10)))
	}
	return strings.Join(list, ",")
}

func TestViolationsAreLimited(t *testing.T) {
	t.Parallel()
	object := compile(t, `{"properties":{"list":{"type":"array","items":{"type":"integer"}}},"additionalProperties":false}`)
	if got := object.Validate([]byte(`{"list":[` + strings.Repeat(`"x",`, 100) + `"x"]}`)); len(got) != 20 {
		t.Errorf("Validate() reports %d violations, want 20", len(got))
	}
	long := strings.Repeat("x", 100_000)
	violations := object.Validate([]byte(`{"list":"` + long + `","` + long + `":1}`))
	if len(violations) != 2 {
		t.Errorf("Validate() reports %d violations, want 2", len(violations))
	}
	for _, v := range violations {
		if len(v.String()) > 400 {
			t.Errorf("a violation repeats a long value: %d bytes", len(v.String()))
		}
	}
}

func TestDepthAndWorkAreLimited(t *testing.T) {
	t.Parallel()
	free := compile(t, `{}`)
	nested := func(depth int) []byte { return []byte(strings.Repeat("[", depth) + strings.Repeat("]", depth)) }
	if got := free.Validate(nested(64)); got != nil {
		t.Errorf("64 levels are refused: %v", got)
	}
	for _, depth := range []int{65, 1000, 100_000} {
		if got := free.Validate(nested(depth)); len(got) != 1 || got[0].Rule != "depth" {
			t.Errorf("%d levels give %v, want one violation of depth", depth, got)
		}
	}
	after := compile(t, `{"items":{"unevaluatedProperties":{"type":"integer"}}}`)
	if got := after.Validate([]byte(`[` + strings.Repeat(`{"a":1},`, 50) + string(nested(65)) + `]`)); len(got) != 1 || got[0].Rule != "depth" {
		t.Errorf("66 levels after many objects give %v, want one violation of depth", got)
	}
	// Each of two members visits every level twice: 4^60 visits without a limit.
	tree := compile(t, `{"anyOf":[{"type":"object","properties":{"a":{"$ref":"#"}},"required":["no"]},
		{"type":"object","properties":{"a":{"$ref":"#"}},"required":["never"]}]}`)
	data := strings.Repeat(`{"a":`, 60) + "1" + strings.Repeat("}", 60)
	if got := tree.Validate([]byte(data)); len(got) == 0 {
		t.Error("a value that fits no member is valid")
	}
	// All members fit.
	wide := compile(t, `{"allOf":[{"properties":{"a":{"$ref":"#"}}},{"properties":{"a":{"$ref":"#"}}}]}`)
	if got := wide.Validate([]byte(data)); len(got) != 1 || got[0].Rule != "work" {
		t.Errorf("exponential work results in %v, want one violation of work", got)
	}
	lists := compile(t, `{"allOf":[{"items":{"$ref":"#"}},{"items":{"$ref":"#"}}]}`)
	if got := lists.Validate(nested(60)); len(got) != 1 || got[0].Rule != "work" {
		t.Errorf("exponential work on arrays results in %v, want one violation of work", got)
	}
	// Each step doubles how often the value is checked.
	var steps []string
	for i := range 12 {
		steps = append(steps, fmt.Sprintf(`"s%d":{"allOf":[{"$ref":"#/$defs/s%d"},{"$ref":"#/$defs/s%d"}]}`, i, i+1, i+1))
	}
	often := compile(t, `{"$ref":"#/$defs/s0","$defs":{`+strings.Join(steps, ",")+`,"s12":{"type":["string","integer"]}}}`)
	for _, data := range []string{`"` + strings.Repeat("x", 100_000) + `"`, strings.Repeat("9", 100_000)} {
		if got := often.Validate([]byte(data)); len(got) != 1 || got[0].Rule != "work" {
			t.Errorf("a long value that is checked 4096 times results in %v, want one violation of work", got)
		}
	}
}

func TestLargeDataIsValid(t *testing.T) {
	t.Parallel()
	const n = 20_000
	var members []string
	for i := range n {
		members = append(members, fmt.Sprintf(`"p%d":%d`, i, i))
	}
	for schema, data := range map[string]string{
		`{"items":{"type":"string"}}`:                            `[` + strings.Repeat(`"x",`, n) + `"x"]`,
		`{"items":{"type":"integer"}}`:                           `[` + strings.Repeat(`12,`, n) + `12]`,
		`{"items":{"type":"array"}}`:                             `[` + strings.Repeat(`[],`, n) + `[]]`,
		`{"items":{"type":"object"}}`:                            `[` + strings.Repeat(`{},`, n) + `{}]`,
		`{"additionalProperties":{"type":"integer"}}`:            `{` + strings.Join(members, ",") + `}`,
		`{"items":{"unevaluatedProperties":{"type":"integer"}}}`: `[` + strings.Repeat(`{"a":1},`, n) + `{}]`,
		`{"items":{"unevaluatedProperties":{"maximum":1}}}`:      `[{"a":1},"` + strings.Repeat("x", n) + `"]`,
		`{"items":{"uniqueItems":true}}`:                         `[` + strings.Repeat(`[1,2],`, n) + `[]]`,
	} {
		if got := compile(t, schema).Validate([]byte(data)); got != nil {
			t.Errorf("%s: %v", schema, got)
		}
	}
}

// Everything that is read again for each of many schemas costs its size each time.
func TestReadingAgainAndAgainCosts(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("7", 200_000)
	// deep is 40 lists, each in the next, around one long text.
	deep := strings.Repeat("[0,", 40) + `"` + long + `"` + strings.Repeat("]", 40)
	for what, test := range map[string]struct{ data, costly, cheap string }{
		"a text":           {`"` + long + `"`, allOf(100, `{"type":"string"}`), allOf(30, `{"type":"string"}`)},
		"a number":         {long, allOf(100, `{"type":"number"}`), allOf(30, `{"type":"number"}`)},
		"a name":           {`{"` + long + `":1}`, allOf(100, `{"type":"object"}`), allOf(30, `{"type":"object"}`)},
		"unique items":     {deep, `{"items":{"$ref":"#"},"uniqueItems":true,"allOf":[{"uniqueItems":true}]}`, `{"items":{"$ref":"#"},"allOf":[{"uniqueItems":false}]}`},
		"unevaluated ones": {deep, `{"prefixItems":[{},{"$ref":"#"}],"unevaluatedItems":{"not":{}},"allOf":[{"prefixItems":[{},{}],"unevaluatedItems":{"not":{}}}]}`, `{"prefixItems":[{},{"$ref":"#"}],"allOf":[{"prefixItems":[{},{}]}]}`},
	} {
		if got := compile(t, test.costly).Validate([]byte(test.data)); len(got) != 1 || got[0].Rule != "work" {
			t.Errorf("%s: reading it too often results in %.300v, want one violation of work", what, got)
		}
		if got := compile(t, test.cheap).Validate([]byte(test.data)); got != nil {
			t.Errorf("%s: reading it a few times results in %.300v", what, got)
		}
	}
}

// allOf is a schema that applies another one n times.
func allOf(n int, schema string) string {
	return `{"allOf":[` + strings.Repeat(schema+",", n-1) + schema + `]}`
}

func assertViolations(t *testing.T, violations []jsonschema.Violation, data string, want []string) {
	t.Helper()
	var got []string
	for _, v := range violations {
		got = append(got, v.String())
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("Validate(%s) =\n%s\nwant\n%s", data, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
