package schema_test

import (
	"net/netip"
	"reflect"
	"slices"
	"time"

	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// The structs that others embed. Those of package reflect have no embedded structs that are
// not exported, and no methods.
type (
	Base   struct{ ID int }
	Deeper struct {
		Base
		Name string `json:"name,omitempty"`
	}
	Other  struct{ ID string }
	Titled struct {
		ID2 bool `json:"ID"`
	}
	plain   struct{ P int8 }
	secret  struct{ p int }
	options struct{ O int }

	embedsValue   struct{ Base }
	embedsPointer struct {
		*Base
		N int
	}
	embedsDeeper struct {
		*Deeper
		N *int
	}
	embedsUnexported struct {
		plain
		N int
	}
	embedsUnexportedPointer struct{ *plain }
	embedsDeepPointer       struct {
		N     int
		inner struct{}
		embedsUnexportedPointer
	}
	embedsHidden struct {
		Base
		ID string
	}
	embedsHiddenDeeply struct {
		Deeper
		ID []int
	}
	embedsTagged struct {
		Base
		Titled
	}
	embedsTwoEqual struct {
		Base
		Other
	}
	embedsTwoEqualHidden struct {
		Base
		Other
		ID uint8
	}
	embedsTwice struct {
		embedsValue
		embedsHiddenValue
	}
	embedsHiddenValue struct{ *Base }
	embedsNamed       struct {
		Base `json:"base"`
		*Deeper
	}
	embedsOptional struct {
		Base `json:"base,omitzero"`
		N    int
	}
	embedsInline struct {
		Base  `json:",inline"`
		Other Other
	}
	embedsWithOptions struct {
		Base `json:",omitempty"`
	}
	embedsEmbed struct {
		Base `json:",embed"`
	}
	embedsOut struct {
		Base `json:"-"`
		N    int
	}
	embedsUnexportedNamed struct {
		plain `json:"plain"`
	}
	embedsCount     struct{ Count }
	embedsInterface struct{ any any }
	embedsMap       struct{ ByLabel }
	embedsMapNamed  struct {
		ByLabel `json:"byLabel"`
	}
	embedsTexts struct {
		netip.Addr
		netip.Prefix
	}
	embedsTextNamed struct {
		netip.Addr   `json:"addr"`
		netip.Prefix `json:"prefix"`
	}
	embedsSecret struct {
		secret
		N int
	}
	embedsNothing struct {
		struct0
		N int
	}
	struct0      struct{}
	embedsItself struct {
		*embedsItself
		N int
	}
	EmbedsItself struct {
		*EmbedsItself
		N int
	}
	embedsGeneric struct {
		Pair[Small]
		*Ring[Label]
	}
	twins struct {
		A int
		B int `json:"A"`
	}
	embedsTwins struct {
		*twins2
		N int
	}
	twins2 struct {
		A int `json:"n"`
		B int `json:"n"`
	}
	unexportedTag struct {
		N int
		m int `json:"m"`
	}
	quoteInName struct {
		A int `json:"it's"`
	}
	dashName struct {
		A int `json:"-,"`
	}
	dashNamed struct {
		A int `json:"-,omitzero"`
	}
	spacedName struct {
		A int `json:"first name"`
	}
)

// embedded returns the structs that embed others.
func embedded() (all []promise) {
	hides := []any{embedsHidden{}, embedsHiddenDeeply{}, embedsTagged{}, embedsTwoEqualHidden{}} // fields that are never encoded
	add := func(v any, refused string) {
		of := reflect.TypeOf(v)
		loose := slices.ContainsFunc(hides, func(h any) bool { return reflect.TypeOf(h) == of })
		p := promise{name: of.Name(), of: of, refused: refused, loose: loose}
		if refused == "" {
			p.values = []reflect.Value{codec.Filled(of).Elem()}
		}
		all = append(all, p)
	}
	n := 7
	for _, v := range []any{
		embedsValue{}, embedsPointer{}, embedsDeeper{}, embedsUnexported{}, embedsHidden{}, embedsHiddenDeeply{}, embedsTagged{},
		embedsTwoEqualHidden{}, embedsNamed{}, embedsOptional{}, embedsInline{}, embedsOut{}, embedsMapNamed{}, embedsNothing{}, EmbedsItself{},
		embedsGeneric{}, dashNamed{}, spacedName{}, Deeper{}, embedsItself{},
	} {
		add(v, "")
	}
	all = append(all, promise{name: "embedsDeeper with values", of: reflect.TypeFor[embedsDeeper](), values: []reflect.Value{
		reflect.ValueOf(embedsDeeper{&Deeper{Base{1}, "a"}, &n}), reflect.ValueOf(embedsDeeper{N: &n}),
	}})
	for text, v := range map[string]any{
		"is behind the embedded pointer *schema_test.plain":                                                                   embedsUnexportedPointer{},
		"the field P of schema_test.embedsDeepPointer is behind the embedded pointer":                                         embedsDeepPointer{},
		"the fields ID of schema_test.Base and ID of schema_test.Other, which are embedded in schema_test.embedsTwoEqual, ":   embedsTwoEqual{},
		"the fields ID of schema_test.Base and ID of schema_test.Base, which are embedded in schema_test.embedsTwice, ":       embedsTwice{},
		"schema_test.embedsWithOptions embeds schema_test.Base with the tag json:\",omitempty\"":                              embedsWithOptions{},
		"schema_test.embedsEmbed embeds schema_test.Base with the tag json:\",embed\"":                                        embedsEmbed{},
		"schema_test.embedsUnexportedNamed embeds schema_test.plain with the tag json:\"plain\", but the type is":             embedsUnexportedNamed{},
		"schema_test.embedsCount embeds schema_test.Count, which is not a struct, without a name":                             embedsCount{},
		"schema_test.embedsMap embeds schema_test.ByLabel, which is not a struct, without a name":                             embedsMap{},
		"schema_test.embedsTexts embeds netip.Addr, which has a JSON form of its own, without a name":                         embedsTexts{},
		"schema_test.secret has fields, but none that is exported":                                                            embedsSecret{},
		"schema_test.embedsInterface has fields, but none that is exported":                                                   embedsInterface{},
		"the fields A and B of schema_test.twins have the JSON name \"A\"":                                                    twins{},
		"the fields A and B of schema_test.twins2 have the JSON name \"n\"":                                                   embedsTwins{},
		"the field m of schema_test.unexportedTag is not exported, but has the tag json:\"m\"; export the field":              unexportedTag{},
		"the tag json:\"it's\" of the field A of schema_test.quoteInName has a quote or a backslash in the name; write json:": quoteInName{},
		"the tag json:\"-,\" of the field A of schema_test.dashName has a comma without an option; write json:\"-\"":          dashName{},
	} {
		add(v, text)
	}
	own := promise{name: "embedsTextNamed", of: reflect.TypeFor[embedsTextNamed](), own: true}
	return append(all, own)
}

// tagged returns fields with schema tags.
func tagged() (all []promise) {
	add := func(tag string, of reflect.Type, refused string, values ...any) {
		field := reflect.StructField{Name: "X", Type: of, Tag: reflect.StructTag(`json:"x" schema:"` + tag + `"`)}
		p := promise{name: of.String() + " with " + tag, of: reflect.StructOf([]reflect.StructField{field}), noZero: true, refused: refused}
		for _, v := range values {
			value := reflect.New(p.of).Elem()
			value.Field(0).Set(reflect.ValueOf(v))
			p.values = append(p.values, value)
		}
		all = append(all, p)
	}
	integer, text, list, table := reflect.TypeFor[int](), reflect.TypeFor[string](), reflect.TypeFor[[]string](), reflect.TypeFor[map[string]int]()
	add("min=1,max=3", integer, "", 1, 3)
	add("min=-5,max=127", reflect.TypeFor[int8](), "", int8(-5), int8(127))
	add("min=1,max=255", reflect.TypeFor[uint8](), "", uint8(255))
	add("exclusiveMin=0,exclusiveMax=4", integer, "", 1, 3)
	add("multipleOf=5", integer, "", -10, 5)
	add("enum=1|3|9", integer, "", 1, 9)
	add("const=4", integer, "", 4)
	add("default=4", integer, "", 4, 5)
	add("examples=1|2,title=N,description=A number.,deprecated", integer, "", 4)
	add("min=1.5,max=2.5", reflect.TypeFor[float64](), "", 1.5, 2.5)
	add("min=0", reflect.TypeFor[float32](), "", float32(0.5))
	add("enum=0.5|1.5", reflect.TypeFor[float32](), "", float32(0.5))
	add("min=0", reflect.TypeFor[time.Duration](), "", time.Second)
	add("minLength=2,maxLength=3", text, "", "ab", "äöü")
	add("pattern=^[a-z]+$", text, "", "ab")
	add("format=date-time", text, "", "2026-01-31T09:30:00z")
	add("format=date", text, "", "2026-01-31")
	add("format=email", text, "", "a@example.com")
	add("format=uri", text, "", "https://example.com/")
	add("format=uuid", text, "", "123e4567-e89b-42d3-a456-426614174000")
	add("format=ipv4", text, "", "192.0.2.1")
	add("format=ipv6", text, "", "2001:db8::1")
	add("format=hostname", text, "", "example.com")
	add("enum=a|b", text, "", "a", "b")
	add("const=a", reflect.TypeFor[Label](), "", Label("a"))
	add("default=a", text, "", "a", "")
	add("const=true", reflect.TypeFor[bool](), "", true)
	add("minItems=1,maxItems=2", list, "", []string{"a"}, []string{"a", "a"})
	add("unique", list, "", []string{"a", "b"})
	add("items.minLength=2,items.maxLength=3", list, "", []string{"ab"}, []string{})
	add("items.enum=a|b,minItems=1", list, "", []string{"a", "b"})
	add("items.pattern='^(a|b,c)$'", list, "", []string{"a", "b,c"})
	add("items.min=1,items.max=9", reflect.TypeFor[[]uint8Alias](), "", []uint8Alias{1, 9})
	add("items.items.min=1,items.maxItems=2", reflect.TypeFor[[][]int](), "", [][]int{{1, 2}, {}})
	add("items.values.unique,items.values.items.multipleOf=2", reflect.TypeFor[[]map[string][]int](), "", []map[string][]int{{"a": {2, 4}}})
	add("items.nullable", list, "", []string{"a"})
	add("items.minProperties=1", reflect.TypeFor[[]map[string]int](), "", []map[string]int{{"a": 1}})
	add("minProperties=1,maxProperties=2", table, "", map[string]int{"a": 1})
	add("values.min=1,values.max=2", table, "", map[string]int{"a": 1, "b": 2})
	add("keys.enum=a|b,values.enum=1|2", table, "", map[string]int{"a": 1, "b": 2})
	add("keys.minLength=1", table, "", map[string]int{"a": 1})
	add("values.enum=a|b", reflect.TypeFor[map[Small]string](), "", map[Small]string{-128: "a"})
	add("minLength=4", reflect.TypeFor[[]byte](), "", []byte{1})
	add("required,nullable", reflect.TypeFor[*int](), "", new(4), (*int)(nil))
	add("type=string,enum=a|b", reflect.TypeFor[any](), "", "a")
	add("type=integer,min=1", reflect.TypeFor[any](), "", 2.0)
	add("type=number,max=1.5", reflect.TypeFor[any](), "", 1.5)
	add("type=boolean", reflect.TypeFor[any](), "", true)
	add("type=array,items.type=string,items.minLength=1", reflect.TypeFor[any](), "", []any{"a"})
	add("type=object,values.type=integer,minProperties=1", reflect.TypeFor[any](), "", map[string]any{"a": 1.0})
	add("type=array,maxItems=1", reflect.TypeFor[any](), "", []any{nil})
	add("type=object", reflect.TypeFor[any](), "", map[string]any{"a": nil})
	add("type=string,nullable", reflect.TypeFor[any](), "", "a")

	add("max=200", reflect.TypeFor[int8](), "/properties/x: maximum is 200, but the Go type has 127; drop it, or change the type")
	add("min=-1", reflect.TypeFor[uint](), "/properties/x: minimum is -1, but the Go type has 0")
	add("minItems=1", reflect.TypeFor[[2]int](), "/properties/x: minItems is 1, but the Go type has 2")
	add("maxItems=3", reflect.TypeFor[[2]int](), "/properties/x: maxItems is 3, but the Go type has 2")
	add("minLength=0", reflect.TypeFor[[2]byte](), "/properties/x: minLength is 0, but the Go type has 4")
	add("pattern=a", reflect.TypeFor[[2]byte](), `/properties/x: pattern is "a", but the Go type has "[^=]=$"`)
	add("format=date", reflect.TypeFor[time.Time](), `/properties/x: format is "date", but the Go type has "date-time"`)
	add("items.max=300", reflect.TypeFor[[]Small](), "/properties/x/items: maximum is 300, but the Go type has 127")
	add("minLength=1", list, "/properties/x: the schema tag says minLength, which does not apply to the type array; drop it, or write items.minLength for the items")
	add("min=1", table, "drop it, or write values.min for the values")
	add("min=1", text, "/properties/x: the schema tag says min, which does not apply to the type string; drop it")
	add("minLength=1", reflect.TypeFor[any](), "does not apply to the type any; write the type too, as in type=string")
	add("items.min=1", integer, "the schema tag has items.min, which does not apply to the type integer; use items. for slices, and keys. and values. for maps")
	add("keys.min=1", table, "/properties/x/propertyNames: the schema tag says min, which does not apply to the type string")
	add("values.min=1", reflect.TypeFor[Inner](), "the schema tag has values.min, which does not apply to the type object")
	add("item.min=1", reflect.TypeFor[[]int](), `the schema tag has the unknown key "item.min"; begin it with items., values. or keys.`)
	add("items.required", list, "/properties/x/items: the schema tag says required about something that is not a field")
	add("type=string", text, "the schema tag has a type, but the Go type says that it is string; drop the key type")
	add("type=text", reflect.TypeFor[any](), `the schema tag has the type "text"; use string, integer, number, boolean, array or object`)
	add("items.min=1", reflect.TypeFor[[]Node](), "/properties/x/items: the schema tag says min, which does not apply to the type object")
	return all
}

type uint8Alias uint8
