package jsonschema_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/json/jsonschema"
)

func TestChecksRunIfNoKeywordIsViolated(t *testing.T) {
	t.Parallel()
	refuse := errors.New("is never right")
	v, problems := jsonschema.Compile([]byte(`{"properties":{"f":{"type":"string","maxLength":20},"s":{"type":"string","minLength":2},"i":{"type":"integer","maximum":5},`+
		`"u":{"type":"integer"},"n":{"type":"number","maximum":5},"a":{"type":"array","maxItems":1},"plain":{"type":"string"},"g":{"type":"string","minLength":4}}}`), jsonschema.Options{
		Checks: map[string]jsonschema.Checks{
			"/properties/f":     {Format: "email"},
			"/properties/g":     {Format: "email"},
			"/properties/s":     {String: func(string) error { return refuse }},
			"/properties/i":     {Fits: jsonschema.Signed64, Integer: func(int64) error { return refuse }},
			"/properties/u":     {Fits: jsonschema.Unsigned64},
			"/properties/n":     {Fits: jsonschema.Float64, Number: func(float64) error { return refuse }},
			"/properties/a":     {JSON: func([]byte) error { return refuse }},
			"/properties/plain": {},
		},
	})
	if problems != nil {
		t.Fatal(problems)
	}
	for data, want := range map[string]string{
		`{"f":"ann@example.com"}`:    "",
		`{"f":"ann"}`:                "/f: must be an email address of at most 20 characters, got another string",
		`{"g":"ann"}`:                "/g: must be an email address of at least 4 characters, got 3 characters",
		`{"s":"ab"}`:                 "/s: is never right",
		`{"s":"a"}`:                  "/s: must be a string of at least 2 characters, got 1 character",
		`{"i":1}`:                    "/i: is never right",
		`{"i":6}`:                    "/i: must be an integer of at most 5, got 6",
		`{"i":-9223372036854775809}`: "/i: must be an integer from -9223372036854775808 to 9223372036854775807",
		`{"u":18446744073709551615}`: "",
		`{"u":0}`:                    "",
		`{"u":-1}`:                   "/u: must be an integer from 0 to 18446744073709551615",
		`{"n":1.5}`:                  "/n: is never right",
		`{"n":-1e400}`:               "/n: must fit a 64-bit floating-point number",
		`{"n":6}`:                    "/n: must be a number of at most 5, got 6",
		`{"a":[1]}`:                  "/a: is never right",
		`{"a":[1,2]}`:                "/a: must be an array of at most 1 item, got 2 items",
		`{"plain":"x"}`:              "",
		`{"s":"a","n":6,"a":1,"f":"x"}`: "/s: must be a string of at least 2 characters, got 1 character\n/n: must be a number of at most 5, got 6\n" +
			"/a: must be an array of at most 1 item, got the number 1\n/f: must be an email address of at most 20 characters, got another string",
	} {
		var got []string
		for _, violation := range v.Validate([]byte(data)) {
			got = append(got, violation.String())
		}
		if strings.Join(got, "\n") != want {
			t.Errorf("%s results in\n%s\nwant\n%s", data, strings.Join(got, "\n"), want)
		}
	}
}

// A schema that was built can't contradict itself on purpose.
func TestBuiltSchemasMustNotContradictThemselves(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string]string{
		`{"minLength":1,"maxLength":0}`:                              "minLength 1 is greater than maxLength 0; swap or change them",
		`{"minLength":1,"maxLength":1}`:                              "",
		`{"minLength":1}`:                                            "",
		`{"maxLength":1}`:                                            "",
		`{"minItems":3,"maxItems":2}`:                                "minItems 3 is greater than maxItems 2",
		`{"minProperties":3,"maxProperties":2}`:                      "minProperties 3 is greater than maxProperties 2",
		`{"required":["a","b"],"maxProperties":1}`:                   "2 properties are required but maxProperties is 1",
		`{"required":["a"],"properties":{"b":{}},"maxProperties":1}`: "",
		`{"required":["a"],"maxProperties":0}`:                       "1 properties are required but maxProperties is 0",
		`{"minimum":3,"maximum":2}`:                                  "no number is allowed by minimum 3 and maximum 2",
		`{"minimum":3,"maximum":3}`:                                  "",
		`{"minimum":3,"exclusiveMaximum":3}`:                         "no number is allowed by minimum 3 and exclusiveMaximum 3",
		`{"exclusiveMinimum":3,"maximum":3}`:                         "no number is allowed by exclusiveMinimum 3 and maximum 3",
		`{"exclusiveMinimum":3,"exclusiveMaximum":3}`:                "no number is allowed by exclusiveMinimum 3 and exclusiveMaximum 3",
		`{"exclusiveMinimum":3,"exclusiveMaximum":4}`:                "",
		`{"type":"string","default":3}`:                              "the default is not valid (the value: must be a string, got the number 3)",
		`{"type":"string","default":"a","const":"a"}`:                "",
		`{"type":"string","const":3}`:                                "the constant is not valid",
		`{"type":"string","examples":["a",3]}`:                       "example 1 is not valid",
		`{"enum":[]}`:                                                "the enum is empty",
		`{"enum":[1,1.0]}`:                                           "the enum lists 1.0 twice",
		`{"type":"string","enum":["a",3]}`:                           "the enum value 3 is not valid",
		`{"enum":["` + strings.Repeat("x", 58) + `",` + `"` + strings.Repeat("x", 58) + `"]}`: `lists "` + strings.Repeat("x", 58) + `" twice`,
		`{"enum":["` + strings.Repeat("x", 70) + `",` + `"` + strings.Repeat("x", 70) + `"]}`: `lists "` + strings.Repeat("x", 59) + `… twice`,
		`{"enum":[[` + strings.Repeat("1,", 40) + `1],[` + strings.Repeat("1,", 40) + `1]]}`:  `lists [` + strings.Repeat("1,", 29) + `1… twice`,
	} {
		_, problems := jsonschema.Compile([]byte(schema), jsonschema.Options{Checks: map[string]jsonschema.Checks{"": {}}})
		if got := fmt.Sprint(problems); (want == "") != (problems == nil) || !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %q", schema, got, want)
		}
	}
}
