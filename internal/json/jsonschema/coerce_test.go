package jsonschema_test

import (
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/jsonschema"
)

const order = `{"type":"object","additionalProperties":false,"required":["must"],"properties":{` +
	`"must":{"type":["integer","boolean"]},"tags":{"type":"array","items":{"type":"string"}},"counts":{"type":["array","null"],"items":{"type":"integer"}},` +
	`"lines":{"type":"array","items":{"type":"object","properties":{"n":{"type":"integer"},"tags":{"type":"array"}}}},` +
	`"place":{"type":"object","properties":{"zip":{"type":"integer"},"tags":{"type":"array"}}},"note":{"type":"string"},"free":{},"either":{"type":["array","string"]},` +
	`"union":{"anyOf":[{"type":"array"}]}}}`

// A list of tests of Coerce: what is given, and what it becomes; "" means that it stays.
func TestListsAndObjectsAreReadFromStrings(t *testing.T) {
	t.Parallel()
	v := compile(t, order)
	for given, want := range map[string]string{
		`{"tags":"[\"a\",\"b\"]"}`:                                 `{"tags":["a","b"]}`,
		`{"tags":" [ ] "}`:                                         `{"tags": [ ] }`,
		`{"tags":"\u005b\n\"\u00e4\"]"}`:                           "{\"tags\":[\n\"ä\"]}",
		`{"counts":"[\"1\",2.0]"}`:                                 `{"counts":[1,2]}`,
		`{"lines":["{\"n\":\"3\"}",{"n":4},"{}"]}`:                 `{"lines":[{"n":3},{"n":4},{}]}`,
		`{"lines":"[{\"n\":3}]"}`:                                  `{"lines":[{"n":3}]}`,
		`{"place":"{\"zip\":\"70173\"}"}`:                          `{"place":{"zip":70173}}`,
		`{"place":"{\"zip\":1,\"tags\":\"[]\"}"}`:                  `{"place":{"zip":1,"tags":"[]"}}`, // the string in a string stays
		`{"place":"{\"zip\":null}"}`:                               `{"place":{}}`,
		`{"lines":"[\"{}\"]"}`:                                     `{"lines":["{}"]}`,
		`{"tags":"a"}`:                                             "",
		`{"tags":"a,b"}`:                                           "",
		`{"tags":"[1"}`:                                            "",
		`{"tags":"[1] x"}`:                                         "",
		`{"tags":"['a']"}`:                                         "",
		`{"tags":"{}"}`:                                            "", // another kind
		`{"place":"[]"}`:                                           "",
		`{"place":"null"}`:                                         "",
		`{"place":"{\"zip\":1,\"zip\":2}"}`:                        "", // the codec refuses repeated names
		`{"place":"{\"zip\":1,\"\\u007aip\":2}"}`:                  "",
		`{"note":"[1]","free":"[1]","either":"[1]","union":"[1]"}`: "", // they may be strings
		`{"must":"[1]"}`:                                           "",
	} {
		if want == "" {
			want = given
		}
		got := v.Coerce([]byte(given), jsonschema.Coercion{})
		if string(got) != want {
			t.Errorf("%s becomes %s, want %s", given, got, want)
		}
		if !codec.Valid(got) {
			t.Errorf("%s becomes %s, which is no JSON", given, got)
		}
	}
}

func TestWhatIsNotSetIsDropped(t *testing.T) {
	t.Parallel()
	v := compile(t, order)
	for given, want := range map[string]string{
		`{"tags":null}`:                                     `{}`,
		`{"tags":""}`:                                       `{}`,
		`{ "tags" : null , "note":"x" }`:                    `{"note":"x" }`,
		`{"note":"x","tags":null}`:                          `{"note":"x"}`,
		`{"note":"x","tags":null,"place":"", "must":"1"}`:   `{"note":"x", "must":1}`,
		`{"tags":null,"place":null,"must":"1","note":null}`: `{"must":1}`,
		`{"lines":[{"n":""},{"tags":null,"n":1}]}`:          `{"lines":[{},{"n":1}]}`,
		`{"must":null}`:                                     `{"must":null}`, // required
		`{"must":""}`:                                       `{"must":""}`,
		`{"counts":null,"note":"","free":null}`:             `{"counts":null,"note":"","free":null}`, // allowed
		`{"unknown":null}`:                                  `{"unknown":null}`,
	} {
		if got := v.Coerce([]byte(given), jsonschema.Coercion{}); string(got) != want || !codec.Valid(got) {
			t.Errorf("%s becomes %s, want %s", given, got, want)
		}
	}
}

// Members that clients add for themselves are dropped where the schema would refuse them.
func TestExtraMembersAreDroppedFromTheRootOfAClosedSchema(t *testing.T) {
	t.Parallel()
	how := jsonschema.Coercion{Extra: []string{"toolCallId"}}
	const declared = `{"properties":{"toolCallId":{},"a":{"properties":{},"additionalProperties":false}},"additionalProperties":false}`
	for _, test := range []struct{ schema, given, want string }{
		{order, `{"toolCallId":"x","must":1}`, `{"must":1}`},
		{order, `{"must":1,"toolCallId":{"a":[1]}}`, `{"must":1}`},
		{order, `{"must":1,"toolcallid":1,"other":2}`, `{"must":1,"toolcallid":1,"other":2}`},
		{order, `{"place":{"toolCallId":1},"lines":"[{\"toolCallId\":1}]"}`, `{"place":{"toolCallId":1},"lines":[{"toolCallId":1}]}`},
		{declared, `{"toolCallId":1,"a":{"toolCallId":1}}`, `{"toolCallId":1,"a":{"toolCallId":1}}`},
		{`{"properties":{}}`, `{"toolCallId":1}`, `{"toolCallId":1}`},
		{`{"patternProperties":{"^t":{}},"additionalProperties":false}`, `{"toolCallId":1}`, `{"toolCallId":1}`},
	} {
		if got := compile(t, test.schema).Coerce([]byte(test.given), how); string(got) != test.want {
			t.Errorf("%s becomes %s, want %s", test.given, got, test.want)
		}
	}
}

// The engine compares headers with arguments before they are converted. An argument in a
// string would pass, since the comparison doesn't find it.
func TestAnObjectThatIsMirroredInAHeaderIsNotReadFromAString(t *testing.T) {
	t.Parallel()
	v := compile(t, `{"type":"object","properties":{"place":{"type":"object","properties":{"in":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}},`+
		`"near":{"type":"object"}}},"other":{"type":"object","properties":{"region":{"type":"string"}}}}}`)
	for given, want := range map[string]string{
		`{"place":"{\"in\":{\"region\":\"eu\"}}"}`: "",
		`{"place":{"in":"{\"region\":\"eu\"}"}}`:   "",
		`{"place":{"near":"{\"x\":1}"}}`:           `{"place":{"near":{"x":1}}}`,
		`{"other":"{\"region\":\"eu\"}"}`:          `{"other":{"region":"eu"}}`,
	} {
		if want == "" {
			want = given
		}
		if got := v.Coerce([]byte(given), jsonschema.Coercion{}); string(got) != want {
			t.Errorf("%s becomes %s, want %s", given, got, want)
		}
	}
}

// A string doesn't hide how deep its contents are nested.
func TestTheDepthOfWhatComesInAStringIsLimited(t *testing.T) {
	t.Parallel()
	v := compile(t, `{"properties":{"a":{"type":"array"}}}`)
	for levels, isRead := range map[int]bool{3: true, 4: false, 2000: false, 200_000: false} {
		given := `{"a":"` + strings.Repeat("[", levels) + strings.Repeat("]", levels) + `"}`
		got := v.Coerce([]byte(given), jsonschema.Coercion{Depth: 4})
		if (string(got) != given) != isRead {
			t.Errorf("%d levels become %.80s", levels, got)
		}
	}
	if given := `{"a":"` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `"}`; v.Validate(v.Coerce([]byte(given), jsonschema.Coercion{})) == nil {
		t.Error("100 levels are valid")
	}
}

// A megabyte of strings within strings takes about as long as a megabyte of strings.
func TestStringsWithinStringsCostLinearWork(t *testing.T) {
	t.Parallel()
	v := compile(t, `{"$defs":{"a":{"type":"array","items":{"$ref":"#/$defs/a"}}},"properties":{"a":{"$ref":"#/$defs/a"}}}`)
	text := "[" + strings.Repeat("[],", 1<<18) + "[]]"
	for range 6 {
		text = "[" + codec.Quote(text) + "]"
	}
	wide := "[" + strings.Repeat(`"[]",`, 1<<18) + `"[]"]`
	for _, given := range []string{`{"a":` + codec.Quote(text) + `}`, `{"a":` + wide + `}`} {
		start := time.Now()
		if got := v.Coerce([]byte(given), jsonschema.Coercion{}); !codec.Valid(got) || len(got) > len(given) {
			t.Errorf("%d bytes become %d", len(given), len(got))
		}
		if took := time.Since(start); took > 20*time.Second { // a tenth of a second, if nothing else runs
			t.Errorf("%d bytes took %v", len(given), took)
		}
	}
}
