package schema_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/framework/schema"
)

// Each type of property has its own methods for the same keywords. This test calls all of
// them.
func TestEveryCallOfAPropertyIsWritten(t *testing.T) {
	t.Parallel()
	const (
		about = `"title":"T","description":"D",`
		sizes = `"minItems":1,"maxItems":2,"uniqueItems":true,`
	)
	for _, tt := range []struct {
		name  string
		build func(s *schema.Object)
		want  string
	}{
		{"a string", func(s *schema.Object) {
			s.String("x").Title("T").Description("D").Format("date").Pattern("^2").MinLength(1).MaxLength(10).
				Enum("2026-01-31").Default("2026-01-31").Examples("2026-01-31").Deprecated().Header("H")
		}, `{"type":"string",` + about + `"format":"date","pattern":"^2","minLength":1,"maxLength":10,"enum":["2026-01-31"],` +
			`"default":"2026-01-31","examples":["2026-01-31"],"deprecated":true,"x-mcp-header":"H"}`},
		{"an integer", func(s *schema.Object) {
			s.Integer("x").Title("T").Description("D").Min(1).Max(9).ExclusiveMin(0).ExclusiveMax(10).MultipleOf(2).
				Enum(2, 4).Default(2).Examples(4).Deprecated().Header("H")
		}, `{"type":"integer",` + about + `"minimum":1,"exclusiveMinimum":0,"maximum":9,"exclusiveMaximum":10,"multipleOf":2,"enum":[2,4],` +
			`"default":2,"examples":[4],"deprecated":true,"x-mcp-header":"H"}`},
		{"a number", func(s *schema.Object) {
			s.Number("x").Title("T").Description("D").Min(0.5).Max(9.5).ExclusiveMin(0).ExclusiveMax(10).MultipleOf(0.5).
				Enum(1, 1.5).Default(1.5).Examples(1).Deprecated()
		}, `{"type":"number",` + about + `"minimum":0.5,"exclusiveMinimum":0,"maximum":9.5,"exclusiveMaximum":10,"multipleOf":0.5,"enum":[1,1.5],` +
			`"default":1.5,"examples":[1],"deprecated":true}`},
		{"a boolean", func(s *schema.Object) {
			s.Boolean("x").Title("T").Description("D").Default(true).Examples(false).Deprecated().Header("H")
		}, `{"type":"boolean",` + about + `"default":true,"examples":[false],"deprecated":true,"x-mcp-header":"H"}`},
		{"strings", func(s *schema.Object) {
			s.Strings("x").Title("T").Description("D").MinItems(1).MaxItems(2).Unique().Default("a").Examples([]string{"b"}).Deprecated()
		}, `{"type":"array",` + about + `"items":{"type":"string"},` + sizes + `"default":["a"],"examples":[["b"]],"deprecated":true}`},
		{"integers", func(s *schema.Object) {
			s.Integers("x").Title("T").Description("D").MinItems(1).MaxItems(2).Unique().Default(1).Examples([]int64{2}).Deprecated()
		}, `{"type":"array",` + about + `"items":{"type":"integer"},` + sizes + `"default":[1],"examples":[[2]],"deprecated":true}`},
		{"numbers", func(s *schema.Object) {
			s.Numbers("x").Title("T").Description("D").MinItems(1).MaxItems(2).Unique().Default(1.5).Examples([]float64{2}).Deprecated()
		}, `{"type":"array",` + about + `"items":{"type":"number"},` + sizes + `"default":[1.5],"examples":[[2]],"deprecated":true}`},
		{"booleans", func(s *schema.Object) {
			s.Booleans("x").Title("T").Description("D").MinItems(1).MaxItems(2).Unique().Default(true).Examples([]bool{false}).Deprecated()
		}, `{"type":"array",` + about + `"items":{"type":"boolean"},` + sizes + `"default":[true],"examples":[[false]],"deprecated":true}`},
		{"objects", func(s *schema.Object) {
			objects := s.Objects("x").Title("T").Description("D").MinItems(1).MaxItems(2).Unique()
			objects.Default([]any{map[string]any{}}).Examples([]any{map[string]any{}}).Deprecated().Items().Open()
		}, `{"type":"array",` + about + `"items":{"type":"object","properties":{}},` + sizes + `"default":[{}],"examples":[[{}]],"deprecated":true}`},
		{"an array", func(s *schema.Object) {
			s.Array("x").Title("T").Description("D").MinItems(1).MaxItems(2).Unique().Default([]any{nil}).Examples([]any{1}).Deprecated()
		}, `{"type":"array",` + about + `"items":{},` + sizes + `"default":[null],"examples":[[1]],"deprecated":true}`},
		{"an object", func(s *schema.Object) {
			object := s.Object("x").Title("T").Description("D").Open().MinProperties(1).MaxProperties(2)
			object.Default(map[string]any{"a": 1}).Examples(map[string]any{"b": 2}).Deprecated()
		}, `{"type":"object",` + about + `"properties":{},"minProperties":1,"maxProperties":2,"default":{"a":1},"examples":[{"b":2}],"deprecated":true}`},
		{"a union", func(s *schema.Object) {
			s.OneOf("x").Title("T").Description("D").Default("a").Examples("b").Deprecated().String()
		}, `{` + about + `"oneOf":[{"type":"string"}],"default":"a","examples":["b"],"deprecated":true}`},
	} {
		if got := property(t, tt.build); got != `"x":`+tt.want {
			t.Errorf("%s is written as\n%s, want\n%s", tt.name, got, tt.want)
		}
	}
}

func TestEveryKindOfPropertyMayBeRequiredOrNullOrConstant(t *testing.T) {
	t.Parallel()
	const items = `"items":{"type":"`
	for _, tt := range []struct {
		name  string
		build func(s *schema.Object)
		want  string
	}{
		{"a string", func(s *schema.Object) { s.String("x").Required().Nullable() }, `{"type":["string","null"]}`},
		{"an integer", func(s *schema.Object) { s.Integer("x").Required().Nullable() }, `{"type":["integer","null"]}`},
		{"a number", func(s *schema.Object) { s.Number("x").Required().Nullable() }, `{"type":["number","null"]}`},
		{"a boolean", func(s *schema.Object) { s.Boolean("x").Required().Nullable() }, `{"type":["boolean","null"]}`},
		{"strings", func(s *schema.Object) { s.Strings("x").Required().Nullable() }, `{"type":["array","null"],` + items + `string"}}`},
		{"integers", func(s *schema.Object) { s.Integers("x").Required().Nullable() }, `{"type":["array","null"],` + items + `integer"}}`},
		{"numbers", func(s *schema.Object) { s.Numbers("x").Required().Nullable() }, `{"type":["array","null"],` + items + `number"}}`},
		{"booleans", func(s *schema.Object) { s.Booleans("x").Required().Nullable() }, `{"type":["array","null"],` + items + `boolean"}}`},
		{"objects", func(s *schema.Object) { s.Objects("x").Required().Nullable().Items().Open() },
			`{"type":["array","null"],` + items + `object","properties":{}}}`},
		{"an array", func(s *schema.Object) { s.Array("x").Required().Nullable() }, `{"type":["array","null"],"items":{}}`},
		{"an object", func(s *schema.Object) { s.Object("x").Required().Nullable().Open() }, `{"type":["object","null"],"properties":{}}`},
		{"a union", func(s *schema.Object) { s.AnyOf("x").Required().Nullable().String() },
			`{"anyOf":[{"type":"string"},{"type":"null"}]}`},
		{"raw JSON", func(s *schema.Object) { s.RawProperty("x", `{}`).Required() }, `{}`},
		{"a constant string", func(s *schema.Object) { s.String("x").Const("a").Required() }, `{"type":"string","const":"a"}`},
		{"a constant integer", func(s *schema.Object) { s.Integer("x").Const(3).Required() }, `{"type":"integer","const":3}`},
		{"a constant number", func(s *schema.Object) { s.Number("x").Const(2.5).Required() }, `{"type":"number","const":2.5}`},
		{"a constant boolean", func(s *schema.Object) { s.Boolean("x").Const(true).Required() }, `{"type":"boolean","const":true}`},
	} {
		if got := between(t, tt.build, `{"type":"object","properties":{"x":`, `},"required":["x"],"additionalProperties":false}`); got != tt.want {
			t.Errorf("%s is written as\n%s, want\n%s", tt.name, got, tt.want)
		}
	}
}

// A subschema, such as an item, a member of a union or an additional property, may have
// every type.
func TestASubschemaMayHaveEveryType(t *testing.T) {
	t.Parallel()
	const array = `{"type":"array","items":`
	for _, tt := range []struct {
		name string
		item func(place *schema.Subschema)
		any  func(union *schema.Union)
		want string
	}{
		{"a string", func(p *schema.Subschema) { p.String() }, func(u *schema.Union) { u.String() }, `{"type":"string"}`},
		{"an integer", func(p *schema.Subschema) { p.Integer() }, func(u *schema.Union) { u.Integer() }, `{"type":"integer"}`},
		{"a number", func(p *schema.Subschema) { p.Number() }, func(u *schema.Union) { u.Number() }, `{"type":"number"}`},
		{"a boolean", func(p *schema.Subschema) { p.Boolean() }, func(u *schema.Union) { u.Boolean() }, `{"type":"boolean"}`},
		{"an object", func(p *schema.Subschema) { p.Object() }, func(u *schema.Union) { u.Object() },
			`{"type":"object","properties":{},"additionalProperties":false}`},
		{"strings", func(p *schema.Subschema) { p.Strings() }, func(u *schema.Union) { u.Strings() }, array + `{"type":"string"}}`},
		{"integers", func(p *schema.Subschema) { p.Integers() }, func(u *schema.Union) { u.Integers() }, array + `{"type":"integer"}}`},
		{"numbers", func(p *schema.Subschema) { p.Numbers() }, func(u *schema.Union) { u.Numbers() }, array + `{"type":"number"}}`},
		{"booleans", func(p *schema.Subschema) { p.Booleans() }, func(u *schema.Union) { u.Booleans() }, array + `{"type":"boolean"}}`},
		{"objects", func(p *schema.Subschema) { p.Objects().Items().Open() }, func(u *schema.Union) { u.Objects().Items().Open() },
			array + `{"type":"object","properties":{}}}`},
		{"an array", func(p *schema.Subschema) { p.Array() }, func(u *schema.Union) { u.Array() }, array + `{}}`},
		{"any of some", func(p *schema.Subschema) { p.AnyOf().String() }, func(u *schema.Union) { u.AnyOf().String() }, `{"anyOf":[{"type":"string"}]}`},
		{"one of some", func(p *schema.Subschema) { p.OneOf().String() }, func(u *schema.Union) { u.OneOf().String() }, `{"oneOf":[{"type":"string"}]}`},
		{"raw JSON", func(p *schema.Subschema) { p.Raw(`{"const":1}`) }, func(u *schema.Union) { u.Raw(`{"const":1}`) }, `{"const":1}`},
	} {
		if got := property(t, func(s *schema.Object) { tt.item(s.Array("x").Items()) }); got != `"x":`+array+tt.want+`}` {
			t.Errorf("%s as an item is written as\n%s", tt.name, got)
		}
		if got := property(t, func(s *schema.Object) { tt.any(s.AnyOf("x")) }); got != `"x":{"anyOf":[`+tt.want+`]}` {
			t.Errorf("%s in a union is written as\n%s", tt.name, got)
		}
	}
}
