package schema_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/schema"
)

func TestContradictionsAreFound(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		build func(s *schema.Object)
		want  string
	}{
		{"swapped lengths", func(s *schema.Object) { s.String("x").MinLength(3).MaxLength(2) },
			"/properties/x: minLength 3 is greater than maxLength 2; swap or change them"},
		{"swapped item counts", func(s *schema.Object) { s.Strings("x").MinItems(3).MaxItems(2) }, "minItems 3 is greater than maxItems 2"},
		{"swapped property counts", func(s *schema.Object) { s.Object("x").MinProperties(3).MaxProperties(2) },
			"minProperties 3 is greater than maxProperties 2"},
		{"more required than allowed", func(s *schema.Object) {
			object := s.Object("x").MaxProperties(1)
			object.String("a").Required()
			object.String("b").Required()
		}, "/properties/x: 2 properties are required but maxProperties is 1"},
		{"swapped bounds", func(s *schema.Object) { s.Integer("x").Min(3).Max(2) }, "no number is allowed by minimum 3 and maximum 2"},
		{"touching exclusive bounds", func(s *schema.Object) { s.Number("x").Min(1).ExclusiveMax(1) },
			"no number is allowed by minimum 1 and exclusiveMaximum 1"},
		{"a negative length", func(s *schema.Object) { s.String("x").MinLength(-1) }, "minLength is -1; write an integer that is not negative"},
		{"a step of zero", func(s *schema.Object) { s.Number("x").MultipleOf(0) }, "multipleOf is 0; write a number greater than 0"},
		{"a number that JSON lacks", func(s *schema.Object) { s.Number("x").Min(math.NaN()) }, "minimum can't be written as JSON"},
		{"a default outside the enum", func(s *schema.Object) { s.String("x").Enum("celsius", "kelvin").Default("kelvins") },
			`/properties/x: the default is not valid (the value: must be one of "celsius", "kelvin", got "kelvins"; did you mean "kelvin"?)`},
		{"a default out of bounds", func(s *schema.Object) { s.Integer("x").Max(3).Default(4) }, "the default is not valid"},
		{"a default that the check refuses", func(s *schema.Object) {
			s.String("x").Default("a").Check(func(string) error { return errors.New("never") })
		}, "the default is not valid (the value: never)"},
		{"a default without what is required", func(s *schema.Object) {
			s.Object("x").Default(map[string]any{}).String("a").Required()
		}, "the default is not valid (/a: required, a string)"},
		{"a constant that breaks the pattern", func(s *schema.Object) { s.String("x").Pattern("^a$").Const("b") },
			"the constant is not valid"},
		{"an example of the wrong format", func(s *schema.Object) { s.String("x").Format("uuid").Examples("a") },
			"example 0 is not valid (the value: must be a UUID, got another string)"},
		{"an enum value out of bounds", func(s *schema.Object) { s.Integer("x").Enum(1, 2).Max(1) }, "the enum value 2 is not valid"},
		{"an empty enum", func(s *schema.Object) { s.String("x").Enum() }, "/properties/x: the enum is empty"},
		{"an enum with a repeated value", func(s *schema.Object) { s.Number("x").Enum(1, 1) }, "the enum lists 1 twice"},
		{"a property declared twice", func(s *schema.Object) {
			s.String("x")
			s.Integer("x")
		}, `/properties/x: the property "x" is declared twice; keep one of the two declarations`},
		{"a property without a name", func(s *schema.Object) { s.String("") }, `/properties/: it has no name; give it one, such as "city"`},
		{"two fields of one JSON name", func(s *schema.Object) {
			s.Struct(struct {
				A string
				B string `json:"A"` // vet reports it if both have a tag
			}{})
		}, `the root of the schema: the fields A and B of struct { A string; B string "json:\"A\"" } have the JSON name "A"; give each a name of its own by its json tag`},
		{"a nested property declared twice", func(s *schema.Object) {
			items := s.Objects("list").Items()
			items.String("x")
			items.String("x")
		}, `/properties/list/items/properties/x: the property "x" is declared twice`},
		{"a place whose type is said twice", func(s *schema.Object) {
			items := s.Array("x").Items()
			items.String()
			items.Integer()
		}, "/properties/x/items: the type of the subschema is declared twice"},
		{"a pattern of properties declared twice", func(s *schema.Object) {
			s.PatternProperties("a").String()
			s.PatternProperties("a").String()
		}, `the pattern "a" is declared twice`},
		{"a broken pattern", func(s *schema.Object) { s.String("x").Pattern("(") }, "/properties/x: the pattern \"(\" is not valid"},
		{"look-ahead", func(s *schema.Object) { s.String("x").Pattern("^(?!a)") },
			"RE2, the syntax of package regexp, has no look-around such as (?!: express it without, or check the value in Go"},
		{"a broken pattern of properties", func(s *schema.Object) { s.PatternProperties("[").String() }, `the pattern "[" is not valid`},
		{"a misspelled format", func(s *schema.Object) { s.String("x").Format("datetime") },
			`/properties/x: the format "datetime" is not checked; write "date-time" if that is what is meant`},
		{"a union without members", func(s *schema.Object) { s.AnyOf("x") }, "/properties/x: the union has no members"},
		{"a constant beside null", func(s *schema.Object) { s.String("x").Const("a").Nullable() }, "a constant can't be null as well"},
		{"open and additional", func(s *schema.Object) { s.Open().Additional().String() }, "Open and Additional are both called"},
		{"an item that is required", func(s *schema.Object) { s.Strings("x").Items().Required() },
			"/properties/x/items: Required is called on something that is not a property"},
		{"a root that is required", func(s *schema.Object) { s.Required() }, "the root of the schema: Required is called"},
		{"raw JSON that isn't", func(s *schema.Object) { s.RawProperty("x", "{") }, "/properties/x: the raw schema is not valid JSON"},
		{"raw JSON that isn't a schema", func(s *schema.Object) { s.RawProperty("x", "3") }, "the raw schema is not a JSON object"},
		{"raw JSON twice", func(s *schema.Object) { s.Raw("{}").Raw("{}") }, "Raw is called twice"},
		{"a value that can't be encoded", func(s *schema.Object) { s.Object("x").Default(func() {}) }, "default can't be written as JSON"},
		{"Struct with something else", func(s *schema.Object) { s.Struct(3) }, "the type int is not a struct; use a struct such as Args{}"},
		{"an unknown tag key", func(s *schema.Object) {
			s.Struct(struct {
				X string `json:"x" schema:"minlen=3,fromat=email"`
			}{})
		}, `/properties/x: the schema tag has the unknown key "fromat"; did you mean format?`},
		{"a keyword of JSON Schema as a tag key", func(s *schema.Object) {
			s.Struct(struct {
				X int `json:"x" schema:"minimum=3,enums=1|2"`
			}{})
		}, "/properties/x: the schema tag has the unknown key \"minimum\"; write min\n" +
			"/properties/x: the schema tag has the unknown key \"enums\"; write enum"},
		{"a tag of another library deeper inside", func(s *schema.Object) {
			s.Struct(struct {
				In []struct {
					X string `json:"x" jsonschema:"required"`
				} `json:"in"`
			}{})
		}, "/properties/in/items: the field X of struct { X string \"json:\\\"x\\\" jsonschema:\\\"required\\\"\" } has the tag jsonschema of another schema library, " +
			"which has no effect here; write schema:\"required\""},
		{"a tag key of another type", func(s *schema.Object) {
			s.Struct(struct {
				X int `json:"x" schema:"minLength=3"`
			}{})
		}, "/properties/x: the schema tag says minLength, which does not apply to the type integer"},
		{"a tag value of another type", func(s *schema.Object) {
			s.Struct(struct {
				X int `json:"x" schema:"default=three"`
			}{})
		}, `the schema tag has default="three", which is not of the type integer`},
		{"a tag key without its value", func(s *schema.Object) {
			s.Struct(struct {
				X int `json:"x" schema:"min,required=true"`
			}{})
		}, "the schema tag has min in the wrong form; write min=VALUE"},
		{"a header that isn't a token", func(s *schema.Object) { s.String("x").Header("My Region") },
			`/properties/x: the header name "My Region" is not an RFC 9110 token`},
		{"an empty header", func(s *schema.Object) { s.String("x").Header("") }, `the header name "" is not`},
		{"headers that differ in case only", func(s *schema.Object) {
			s.String("a").Header("Region")
			s.Object("b").Integer("c").Header("REGION")
		}, `/properties/b/properties/c: the header name "REGION" is used by /properties/a as well`},
		{"a header on an item", func(s *schema.Object) { s.Strings("x").Items().Header("Region") },
			"/properties/x/items: a client can't find this x-mcp-header"},
		{"a header in a union", func(s *schema.Object) { s.AnyOf("x").String().Header("Region") },
			"/properties/x/anyOf/0: a client can't find this x-mcp-header"},
		{"a header on a number", func(s *schema.Object) { s.RawProperty("x", `{"type":"number","x-mcp-header":"N"}`) },
			"a header can only mirror a string, an integer or a boolean"},
		{"a header in $defs", func(s *schema.Object) {
			s.Raw(`{"type":"object","properties":{"x":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"string","x-mcp-header":"X"}}}`)
		}, "/$defs/x: a client can't find this x-mcp-header"},
	} {
		object := schema.New()
		tt.build(object)
		_, err := object.Compile()
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: Compile() =\n%v\nwant\n%s", tt.name, err, tt.want)
		}
		var definition *schema.DefinitionError
		if err != nil && (!errors.As(err, &definition) || definition.Fix == "" || definition.Problem == "") {
			t.Errorf("%s: %v is not a complete DefinitionError", tt.name, err)
		}
	}
}

func TestAllContradictionsAreFoundAtOnce(t *testing.T) {
	t.Parallel()
	object := schema.New()
	object.String("a").MinLength(2).MaxLength(1)
	object.Object("b").Integer("c").Enum()
	object.String("d").Pattern("(?<=x)")
	_, err := object.Compile()
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok || len(joined.Unwrap()) == 0 {
		t.Fatalf("Compile() = %v", err)
	}
	for _, want := range []string{"/properties/a:", "/properties/b/properties/c:", "/properties/d:"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("Compile() = %v, want it to name %s", err, want)
		}
	}
}

func TestValidatePanicsOnContradictions(t *testing.T) {
	t.Parallel()
	object := schema.New()
	object.String("a").MinLength(2).MaxLength(1)
	defer func() {
		if text, ok := recover().(string); !ok || !strings.HasPrefix(text, "mcp: schema: /properties/a: ") {
			t.Errorf("Validate() panics with %q", text)
		}
	}()
	object.Validate([]byte("{}"))
}
