package schema_test

import (
	"bytes"
	"encoding/json"
	"math/big"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/schema"
)

type address struct {
	City string `json:"city"`
	Zip  string `json:"zip,omitempty" schema:"pattern=^[0-9]+$"`
}

type base struct {
	ID      string `json:"id"`
	Shadow  string `json:"shadow"`
	private int
}

type everything struct {
	base
	Shadow   bool              `json:"shadow"`
	Name     string            // no tag
	Ignored  string            `json:"-"`
	Maybe    *string           `json:"maybe"`
	Omitted  *int64            `json:"omitted,omitempty"`
	Zero     float32           `json:"zero,omitzero"`
	Small    int8              `json:"small"`
	Count    uint              `json:"count"`
	When     time.Time         `json:"when"`
	Wait     time.Duration     `json:"wait"`
	Data     []byte            `json:"data"`
	Tags     []string          `json:"tags"`
	Pair     [2]int            `json:"pair"`
	Grid     [][]float64       `json:"grid"`
	Where    address           `json:"where"`
	Others   []*address        `json:"others"`
	Scores   map[string]int    `json:"scores"`
	Raw      json.RawMessage   `json:"raw"`
	Any      any               `json:"any"`
	Address  netip.Addr        `json:"address"`
	Big      *big.Int          `json:"big,omitempty"`
	Quoted   int               `json:"quoted,string"`
	ByNumber map[int]*[]string `json:"byNumber"`
}

func TestStructsAreDescribed(t *testing.T) {
	t.Parallel()
	object, err := schema.For(everything{})
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := object.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Properties map[string]json.RawMessage
		Required   []string
	}
	if err := json.Unmarshal(encoded, &got); err != nil {
		t.Fatal(err)
	}
	const city = `{"type":"object","properties":{"city":{"type":"string"},"zip":{"type":"string","pattern":"^[0-9]+$"}},"required":["city"],"additionalProperties":false}`
	want := map[string]string{
		"id":       `{"type":"string"}`,
		"shadow":   `{"type":"boolean"}`,
		"Name":     `{"type":"string"}`,
		"maybe":    `{"type":["string","null"]}`,
		"omitted":  `{"type":"integer"}`,
		"zero":     `{"type":"number"}`,
		"small":    `{"type":"integer","minimum":-128,"maximum":127}`,
		"count":    `{"type":"integer","minimum":0}`,
		"when":     `{"type":"string","format":"date-time"}`,
		"wait":     `{"type":"integer"}`,
		"data":     `{"type":"string","contentEncoding":"base64"}`,
		"tags":     `{"type":"array","items":{"type":"string"}}`,
		"pair":     `{"type":"array","items":{"type":"integer"},"minItems":2,"maxItems":2}`,
		"grid":     `{"type":"array","items":{"type":"array","items":{"type":"number"}}}`,
		"where":    city,
		"others":   `{"type":"array","items":` + strings.Replace(city, `"object"`, `["object","null"]`, 1) + `}`,
		"scores":   `{"type":"object","properties":{},"additionalProperties":{"type":"integer"}}`,
		"raw":      `{}`,
		"any":      `{}`,
		"address":  `{"type":"string"}`,
		"big":      `{}`,
		"quoted":   `{"type":"string","pattern":"^(0|-?[1-9][0-9]*)$"}`,
		"byNumber": `{"type":"object","description":"The name of each member is an integer of 64 bits, as text.","properties":{},"additionalProperties":{"type":["array","null"],"items":{"type":"string"}}}`,
	}
	for name, w := range want {
		if string(got.Properties[name]) != w {
			t.Errorf("%s is described as\n%s, want\n%s", name, got.Properties[name], w)
		}
		delete(got.Properties, name)
	}
	if len(got.Properties) > 0 {
		t.Errorf("unexpected properties: %v", got.Properties)
	}
	required := "id shadow Name small count when wait data tags pair grid where others scores raw any address quoted byNumber"
	if strings.Join(got.Required, " ") != required {
		t.Errorf("required are\n%v, want\n%v", got.Required, required)
	}
}

// describe returns the schema of a field with a Go type.
func describe(t reflect.Type) ([]byte, error) {
	object, err := schema.For(reflect.StructOf([]reflect.StructField{{Name: "X", Type: t, Tag: `json:"x"`}}))
	if err != nil {
		return nil, err
	}
	encoded, err := object.MarshalJSON()
	encoded = bytes.TrimPrefix(encoded, []byte(`{"type":"object","properties":{"x":`))
	return bytes.TrimSuffix(encoded, []byte(`},"required":["x"],"additionalProperties":false}`)), err
}

// The JSON of a Go value matches the schema of its type.
func TestValuesFitTheSchemaOfTheirType(t *testing.T) {
	t.Parallel()
	name := "x"
	for _, v := range []any{
		everything{When: time.Unix(0, 0).UTC(), Raw: json.RawMessage("1"), Tags: []string{"a"}, Grid: [][]float64{{1}}, Others: []*address{nil},
			Data: []byte{1, 2, 3}, Scores: map[string]int{}, ByNumber: map[int]*[]string{1: nil}, Maybe: &name},
		[]int{1, 2}, "text", 3.5, true, map[string]time.Duration{"a": 1}, uint64(1<<64 - 1),
	} {
		raw, err := describe(reflect.TypeOf(v))
		if err != nil {
			t.Fatal(err)
		}
		validator, err := schema.Compile(raw)
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if violations := validator.Validate(data); violations != nil {
			t.Errorf("%s does not fit %s: %v", data, raw, violations)
		}
	}
}

func TestTypesAreDescribed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		t    reflect.Type
		want string
	}{
		{reflect.TypeFor[[]string](), `{"type":"array","items":{"type":"string"}}`},
		{reflect.TypeFor[int64](), `{"type":"integer"}`},
		{reflect.TypeFor[map[string]any](), `{"type":"object","properties":{},"additionalProperties":{}}`},
		{reflect.TypeFor[address](), `{"type":"object","properties":{"city":{"type":"string"},"zip":{"type":"string","pattern":"^[0-9]+$"}},"required":["city"],"additionalProperties":false}`},
		{reflect.TypeFor[any](), `{}`},
	} {
		got, err := describe(tt.t)
		if err != nil || string(got) != tt.want {
			t.Errorf("%v is described as %s, %v, want %s", tt.t, got, err, tt.want)
		}
	}
}

func TestTypesThatHaveNoSchema(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		t    reflect.Type
		want string
	}{
		{reflect.TypeFor[struct{ F func() }](), "/properties/x/properties/F: the type func() can't be written as JSON"},
		{reflect.TypeFor[chan int](), "can't be written as JSON"},
		{reflect.TypeFor[map[float64]int](), "has keys that can't be written as JSON names"},
	} {
		if _, err := describe(tt.t); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v returns %v, want an error about %q", tt.t, err, tt.want)
		}
	}
	if _, err := schema.For(3); err == nil || !strings.Contains(err.Error(), "the root of the schema: the type int is not a struct") {
		t.Errorf("For(3) = %v", err)
	}
}

func TestTags(t *testing.T) {
	t.Parallel()
	type args struct {
		Email string   `json:"email" schema:"title=E-mail,description='Where to, if at all. It''s used = stored.',format=email,examples=a@b.c|d@e.f"`
		Unit  string   `json:"unit" schema:"enum=celsius|fahrenheit,default=celsius"`
		Size  int      `json:"size" schema:"min=1,max=10,multipleOf=2,enum=2|4,header=Size"`
		Ratio float64  `json:"ratio" schema:"exclusiveMin=0,exclusiveMax=1.5,const=0.5"`
		On    bool     `json:"on" schema:"default=true,deprecated"`
		Tags  []string `json:"tags,omitempty" schema:"unique,minItems=1,maxItems=5,default='[\"a\",\"b\"]'"`
		Name  *string  `json:"name,omitempty" schema:"required,nullable,minLength=1,maxLength=9,pattern='^[a-z]{1,9}$'"`
		More  struct{} `json:"more" schema:"minProperties=0,maxProperties=0"`
	}
	got := between(t, func(object *schema.Object) { object.Struct(args{}) }, `{"type":"object","properties":{`, `}`)
	want := strings.Join([]string{
		`"email":{"type":"string","title":"E-mail","description":"Where to, if at all. It's used = stored.","format":"email","examples":["a@b.c","d@e.f"]}`,
		`"unit":{"type":"string","enum":["celsius","fahrenheit"],"default":"celsius"}`,
		`"size":{"type":"integer","minimum":1,"maximum":10,"multipleOf":2,"enum":[2,4],"x-mcp-header":"Size"}`,
		`"ratio":{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1.5,"const":0.5}`,
		`"on":{"type":"boolean","default":true,"deprecated":true}`,
		`"tags":{"type":"array","items":{"type":"string"},"minItems":1,"maxItems":5,"uniqueItems":true,"default":["a","b"]}`,
		`"name":{"type":["string","null"],"pattern":"^[a-z]{1,9}$","minLength":1,"maxLength":9}`,
		`"more":{"type":"object","properties":{},"minProperties":0,"maxProperties":0,"additionalProperties":false}`,
	}, ",") + `},"required":["email","size","ratio","name","more"],"additionalProperties":false`
	if got != want {
		t.Errorf("tags are read as\n%s, want\n%s", got, want)
	}
}

type precedenceArgs struct {
	Value int    `json:"value" schema:"description=tag,min=1"`
	Plain string `json:"plain"`
}

// Raw JSON wins over the tag, the tag over the builder, the builder over the Go type,
// keyword by keyword.
func TestPrecedence(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		build func(s *schema.Object)
		want  string
	}{
		{"the Go type alone", func(s *schema.Object) { s.Struct(precedenceArgs{}) },
			`"value":{"type":"integer","description":"tag","minimum":1},"plain":{"type":"string"}},"required":["value","plain"]`},
		{"the builder wins over the Go type", func(s *schema.Object) {
			s.Struct(precedenceArgs{})
			s.Integer("plain").Description("builder")
		}, `"value":{"type":"integer","description":"tag","minimum":1},"plain":{"type":"integer","description":"builder"}},"required":["value","plain"]`},
		{"the tag wins over the builder, key by key", func(s *schema.Object) {
			s.Struct(precedenceArgs{})
			s.Integer("value").Description("builder").Min(0).Max(9)
		}, `"value":{"type":"integer","description":"tag","minimum":1,"maximum":9},"plain":{"type":"string"}},"required":["value","plain"]`},
		{"also when the builder comes first", func(s *schema.Object) {
			s.Integer("value").Description("builder").Min(0).Max(9)
			s.Struct(precedenceArgs{})
		}, `"value":{"type":"integer","description":"tag","minimum":1,"maximum":9},"plain":{"type":"string"}},"required":["value","plain"]`},
		{"raw JSON wins over the tag", func(s *schema.Object) {
			s.Struct(precedenceArgs{})
			s.Integer("value").Description("builder")
			s.RawProperty("value", `{"const":1}`)
		}, `"value":{"const":1},"plain":{"type":"string"}},"required":["value","plain"]`},
		{"a default on the builder makes the property optional", func(s *schema.Object) {
			s.Struct(precedenceArgs{})
			s.String("plain").Default("x")
		}, `"value":{"type":"integer","description":"tag","minimum":1},"plain":{"type":"string","default":"x"}},"required":["value"]`},
	} {
		if got := between(t, tt.build, `{"type":"object","properties":{`, `,"additionalProperties":false}`); got != tt.want {
			t.Errorf("%s:\n%s, want\n%s", tt.name, got, tt.want)
		}
	}
}

func TestCallsRefineNestedStructs(t *testing.T) {
	t.Parallel()
	type args struct {
		Where  address   `json:"where"`
		Others []address `json:"others,omitempty"`
	}
	got := between(t, func(s *schema.Object) {
		s.Objects("others").Items().String("city").MinLength(1)
		s.Struct(args{})
		s.Object("where").String("zip").Description("Digits.").Pattern("ignored, as the tag has one")
	}, `{"type":"object","properties":{`, `},"required":["where"],"additionalProperties":false}`)
	want := `"others":{"type":"array","items":{"type":"object","properties":{"city":{"type":"string","minLength":1},` +
		`"zip":{"type":"string","pattern":"^[0-9]+$"}},"required":["city"],"additionalProperties":false}},` +
		`"where":{"type":"object","properties":{"city":{"type":"string"},"zip":{"type":"string","description":"Digits.","pattern":"^[0-9]+$"}},` +
		`"required":["city"],"additionalProperties":false}`
	if got != want {
		t.Errorf("nested structs are described as\n%s, want\n%s", got, want)
	}
}

func TestNoPropertyOfAPartialStructIsRequired(t *testing.T) {
	t.Parallel()
	type page struct {
		Title string  `json:"title" schema:"minLength=1,required"`
		Views int     `json:"views" schema:"description='How often, by default never.',default=0"`
		Due   *string `json:"due,omitempty" schema:"nullable,format=date"`
		Done  bool    `json:"done"`
	}
	got := between(t, func(object *schema.Object) {
		object.Integer("id").Required()
		object.Partial(page{}).Boolean("done").Required()
	}, `{"type":"object","properties":{`, `}`)
	want := `"id":{"type":"integer"},"title":{"type":"string","minLength":1},"views":{"type":"integer","description":"How often, by default never."},` +
		`"due":{"type":["string","null"],"format":"date"},"done":{"type":"boolean"}},"required":["id","done"],"additionalProperties":false`
	if got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
	type key struct {
		ID int `json:"id"`
	}
	beside := between(t, func(object *schema.Object) { object.Struct(key{}).Partial(page{}) }, `{"type":"object","properties":{`, `}`)
	if want := strings.Replace(want, `["id","done"]`, `["id"]`, 1); beside != want {
		t.Errorf("beside the fields of another struct got\n%s, want\n%s", beside, want)
	}
	for _, v := range []any{3, map[string]int{}} {
		if _, err := schema.New().Partial(v).Compile(); err == nil || !strings.Contains(err.Error(), "is not a struct") {
			t.Errorf("%T: the error is %v", v, err)
		}
	}
}
