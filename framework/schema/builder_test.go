package schema_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/schema"
)

// property returns the encoded schema of one property.
func property(t *testing.T, build func(s *schema.Object)) string {
	t.Helper()
	return between(t, build, `{"type":"object","properties":{`, `},"additionalProperties":false}`)
}

func between(t *testing.T, build func(s *schema.Object), before, after string) string {
	t.Helper()
	object := schema.New()
	build(object)
	if _, err := object.Compile(); err != nil {
		t.Fatalf("Compile() = %v", err)
	}
	encoded, err := object.MarshalJSON()
	if err != nil {
		t.Fatalf("MarshalJSON() = %v", err)
	}
	text, found := strings.CutPrefix(string(encoded), before)
	if !found {
		t.Fatalf("%s does not start with %s", encoded, before)
	}
	text, found = strings.CutSuffix(text, after)
	if !found {
		t.Fatalf("%s does not end with %s", encoded, after)
	}
	return text
}

func TestPropertiesAreWritten(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		build func(s *schema.Object)
		want  string
	}{
		{"a string", func(s *schema.Object) { s.String("x") }, `"x":{"type":"string"}`},
		{"text about it", func(s *schema.Object) {
			s.String("x").Description("What for.").Title("X").Deprecated()
		}, `"x":{"type":"string","title":"X","description":"What for.","deprecated":true}`},
		{"lengths and pattern", func(s *schema.Object) { s.String("x").Pattern("^a").MaxLength(3).MinLength(1) },
			`"x":{"type":"string","pattern":"^a","minLength":1,"maxLength":3}`},
		{"a format", func(s *schema.Object) { s.String("x").Format("email") }, `"x":{"type":"string","format":"email"}`},
		{"a format that is only an annotation", func(s *schema.Object) { s.String("x").Format("iri-reference-of-ours") },
			`"x":{"type":"string","format":"iri-reference-of-ours"}`},
		{"an enum", func(s *schema.Object) { s.String("x").Enum("a", "b").Default("a").Examples("b") },
			`"x":{"type":"string","enum":["a","b"],"default":"a","examples":["b"]}`},
		{"a constant", func(s *schema.Object) { s.String("x").Const("a") }, `"x":{"type":"string","const":"a"}`},
		{"null beside a string", func(s *schema.Object) { s.String("x").Nullable() }, `"x":{"type":["string","null"]}`},
		{"null beside an enum", func(s *schema.Object) { s.String("x").Enum("a").Nullable() },
			`"x":{"type":["string","null"],"enum":["a",null]}`},
		{"a mirrored header", func(s *schema.Object) { s.String("x").Header("Region") },
			`"x":{"type":"string","x-mcp-header":"Region"}`},
		{"an integer", func(s *schema.Object) { s.Integer("x").Min(1).Max(9).MultipleOf(2).Enum(2, 4) },
			`"x":{"type":"integer","minimum":1,"maximum":9,"multipleOf":2,"enum":[2,4]}`},
		{"numbers with open ends", func(s *schema.Object) { s.Number("x").ExclusiveMin(0.5).ExclusiveMax(1e21) },
			`"x":{"type":"number","exclusiveMinimum":0.5,"exclusiveMaximum":1e+21}`},
		{"a boolean", func(s *schema.Object) { s.Boolean("x").Default(true) }, `"x":{"type":"boolean","default":true}`},
		{"strings", func(s *schema.Object) {
			s.Strings("x").MinItems(1).MaxItems(3).Unique().Default("a").Items().MaxLength(2)
		}, `"x":{"type":"array","items":{"type":"string","maxLength":2},"minItems":1,"maxItems":3,"uniqueItems":true,"default":["a"]}`},
		{"an empty default", func(s *schema.Object) { s.Strings("x").Default() },
			`"x":{"type":"array","items":{"type":"string"},"default":[]}`},
		{"integers", func(s *schema.Object) { s.Integers("x").Items().Min(0) }, `"x":{"type":"array","items":{"type":"integer","minimum":0}}`},
		{"numbers", func(s *schema.Object) { s.Numbers("x").Examples([]float64{1, 2.5}) },
			`"x":{"type":"array","items":{"type":"number"},"examples":[[1,2.5]]}`},
		{"booleans", func(s *schema.Object) { s.Booleans("x") }, `"x":{"type":"array","items":{"type":"boolean"}}`},
		{"objects", func(s *schema.Object) { s.Objects("x").Items().String("y").Required() },
			`"x":{"type":"array","items":{"type":"object","properties":{"y":{"type":"string"}},"required":["y"],"additionalProperties":false}}`},
		{"an array of anything", func(s *schema.Object) { s.Array("x") }, `"x":{"type":"array","items":{}}`},
		{"an array of arrays", func(s *schema.Object) { s.Array("x").Items().Integers().MinItems(2) },
			`"x":{"type":"array","items":{"type":"array","items":{"type":"integer"},"minItems":2}}`},
		{"an array of a union", func(s *schema.Object) {
			union := s.Array("x").Items().OneOf()
			union.String()
			union.Integer()
		}, `"x":{"type":"array","items":{"oneOf":[{"type":"string"},{"type":"integer"}]}}`},
		{"an array of raw items", func(s *schema.Object) { s.Array("x").Items().Raw(`{ "const" : 1 }`) },
			`"x":{"type":"array","items":{"const":1}}`},
		{"a nested object", func(s *schema.Object) { s.Object("x").Integer("y") },
			`"x":{"type":"object","properties":{"y":{"type":"integer"}},"additionalProperties":false}`},
		{"an open nested object", func(s *schema.Object) { s.Object("x").Open().MinProperties(1).MaxProperties(2) },
			`"x":{"type":"object","properties":{},"minProperties":1,"maxProperties":2}`},
		{"additional properties", func(s *schema.Object) { s.Object("x").Additional().Number().Min(0) },
			`"x":{"type":"object","properties":{},"additionalProperties":{"type":"number","minimum":0}}`},
		{"properties by pattern", func(s *schema.Object) { s.Object("x").PatternProperties("^x-").String() },
			`"x":{"type":"object","properties":{},"patternProperties":{"^x-":{"type":"string"}},"additionalProperties":false}`},
		{"a default object", func(s *schema.Object) { s.Object("x").Open().Default(map[string]any{"a": 1}) },
			`"x":{"type":"object","properties":{},"default":{"a":1}}`},
		{"a union", func(s *schema.Object) {
			union := s.AnyOf("x").Description("Either.").Nullable()
			union.String().Format("uuid")
			union.Object().String("name")
		}, `"x":{"description":"Either.","anyOf":[{"type":"string","format":"uuid"},` +
			`{"type":"object","properties":{"name":{"type":"string"}},"additionalProperties":false},{"type":"null"}]}`},
		{"a raw property", func(s *schema.Object) { s.RawProperty("x", "{\n  \"b\": 1.0, \"a\": [ ]\n}") }, `"x":{"b":1.0,"a":[]}`},
		{"the order of declaration", func(s *schema.Object) {
			s.String("z")
			s.Integer("a")
			s.Boolean("m")
		}, `"z":{"type":"string"},"a":{"type":"integer"},"m":{"type":"boolean"}`},
	} {
		if got := property(t, tt.build); got != tt.want {
			t.Errorf("%s is written as\n%s, want\n%s", tt.name, got, tt.want)
		}
	}
}

func TestObjectsAreWritten(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		build func(s *schema.Object)
		want  string
	}{
		{"no properties", func(s *schema.Object) {}, `{"type":"object","properties":{},"additionalProperties":false}`},
		{"open", func(s *schema.Object) { s.Open() }, `{"type":"object","properties":{}}`},
		{"required properties", func(s *schema.Object) {
			s.String("b").Required()
			s.String("a")
			s.Integer("c").Required()
		}, `{"type":"object","properties":{"b":{"type":"string"},"a":{"type":"string"},"c":{"type":"integer"}},"required":["b","c"],"additionalProperties":false}`},
		{"a default keeps a property out of required", func(s *schema.Object) { s.Integer("a").Required().Default(1) },
			`{"type":"object","properties":{"a":{"type":"integer","default":1}},"additionalProperties":false}`},
		{"a raw default does so too", func(s *schema.Object) { s.RawProperty("a", `{"default":1}`).Required() },
			`{"type":"object","properties":{"a":{"default":1}},"additionalProperties":false}`},
		{"text", func(s *schema.Object) { s.Title("T").Description("D") },
			`{"type":"object","title":"T","description":"D","properties":{},"additionalProperties":false}`},
		{"raw JSON replaces everything", func(s *schema.Object) {
			s.String("gone")
			s.Raw("{\r\n\t\"$schema\": \"https://json-schema.org/draft/2020-12/schema\", \"type\": \"object\",\n \"$defs\": {\"b\": {}, \"a\": {\"$anchor\":\"x\"}}}")
		}, `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","$defs":{"b":{},"a":{"$anchor":"x"}}}`},
	} {
		if got := between(t, tt.build, "", ""); got != tt.want {
			t.Errorf("%s is written as\n%s, want\n%s", tt.name, got, tt.want)
		}
	}
}

// The seed documents show these two schemas.
func TestSchemasOfTheSeeds(t *testing.T) {
	t.Parallel()
	search := schema.New()
	search.String("query").Description("The search query text").Required()
	search.Integer("limit").Description("Maximum number of results").Default(10)
	encoded, _ := search.MarshalJSON()
	want := `{"type":"object","properties":{"query":{"type":"string","description":"The search query text"},` +
		`"limit":{"type":"integer","description":"Maximum number of results","default":10}},"required":["query"],"additionalProperties":false}`
	if string(encoded) != want {
		t.Errorf("the search schema is\n%s, want\n%s", encoded, want)
	}

	user := schema.New()
	user.String("name").MinLength(1).MaxLength(100).Required()
	user.String("email").Format("email").Required()
	user.Integer("age").Min(0).Max(150)
	user.Strings("tags").Unique().Items().MinLength(1)
	preferences := user.Object("preferences")
	preferences.String("theme").Enum("light", "dark")
	preferences.Boolean("notifications")
	for _, tt := range []struct {
		data string
		want []string
	}{
		{`{"name":"Ann","email":"ann@example.com","age":41,"tags":["a","b"],"preferences":{"theme":"dark","notifications":true}}`, nil},
		{`{"name":"Ann","email":"ann@example.com"}`, nil},
		{`{"name":"","email":"ann","age":-1,"tags":["a","a"],"preferences":{"theme":"blue","sound":1}}`, []string{
			`/name: must be a string of 1 to 100 characters, got 0 characters`,
			`/email: must be an email address, got another string`,
			`/age: must be an integer from 0 to 150, got -1`,
			`/tags/1: must be different from item 0`,
			`/preferences/theme: must be one of "light", "dark", got "blue"`,
			`/preferences/sound: unknown property`,
		}},
	} {
		assertViolations(t, user.Validate([]byte(tt.data)), tt.data, tt.want)
	}
}

func assertViolations(t *testing.T, violations []schema.Violation, data string, want []string) {
	t.Helper()
	var got []string
	for _, v := range violations {
		got = append(got, v.String())
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("Validate(%s) =\n%s\nwant\n%s", data, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestGoChecks(t *testing.T) {
	t.Parallel()
	object := schema.New()
	object.String("s").MaxLength(5).Check(func(s string) error {
		if s != "ä\n" {
			return errors.New("must be a special string")
		}
		return nil
	})
	object.Integer("i").Check(func(i int64) error {
		if i != 3 {
			return errors.New("must be three")
		}
		return nil
	})
	object.Number("n").Check(func(n float64) error {
		if n != 2.5 {
			return errors.New("must be two and a half")
		}
		return nil
	})
	object.Strings("l").Check(func(l []string) error {
		if len(l) != 2 {
			return errors.New("must be a pair")
		}
		return nil
	})
	object.Array("a").Check(func(json []byte) error {
		if string(json) != `[1, 2]` {
			return errors.New("must be one and two")
		}
		return nil
	})
	for _, tt := range []struct {
		data string
		want []string
	}{
		{`{"s":"\u00e4\n","i":3.0,"n":25e-1,"l":["a","b"],"a":[1, 2]}`, nil},
		{`{"s":"x","i":4,"n":2,"l":[],"a":[]}`, []string{
			"/s: must be a special string", "/i: must be three", "/n: must be two and a half", "/l: must be a pair", "/a: must be one and two",
		}},
		{`{"s":"too long"}`, []string{"/s: must be a string of at most 5 characters, got 8 characters"}},
		{`{"i":9223372036854775808}`, []string{"/i: must be an integer from -9223372036854775808 to 9223372036854775807"}},
		{`{"n":1e999}`, []string{"/n: must fit a 64-bit floating-point number"}},
	} {
		assertViolations(t, object.Validate([]byte(tt.data)), tt.data, tt.want)
	}
}
