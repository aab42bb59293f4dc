package schema_test

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/bowline-mcp/bowline/framework/schema"
)

func small(t testing.TB) *schema.Validator {
	t.Helper()
	object := schema.New()
	object.String("message").Required().MaxLength(10000)
	object.Integer("repeat").Min(1).Max(10).Default(1)
	object.Strings("tags").Unique()
	v, err := object.Compile()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestValidDataCostsNoAllocation(t *testing.T) {
	v := small(t)
	data := []byte(`{"message":"hello","repeat":2,"tags":["a","b"]}`)
	for name, run := range map[string]func(){
		"Validate":     func() { _ = v.Validate(data) },
		"WithDefaults": func() { _ = v.WithDefaults(data) },
		"Coerce":       func() { _ = v.Coerce(data) },
	} {
		if got := testing.AllocsPerRun(100, run); got != 0 {
			t.Errorf("%s allocates %v times, want 0", name, got)
		}
	}
}

func BenchmarkValidate(b *testing.B) {
	v := small(b)
	for name, data := range map[string][]byte{
		"small":   []byte(`{"message":"hello","repeat":2,"tags":["a","b"]}`),
		"32KiB":   []byte(`{"message":"` + strings.Repeat("x", 9_000) + `","repeat":2,"tags":["` + strings.Repeat("y", 23_000) + `"]}`),
		"invalid": []byte(`{"mesage":"hello","repeat":"2"}`),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				_ = v.Validate(data)
			}
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		small(b)
	}
}

func TestValidatorIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	object := schema.New()
	object.Object("a").String("b").Pattern("^x+$")
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 100 {
				if object.Validate([]byte(`{"a":{"b":"xx"}}`)) != nil || object.Validate([]byte(`{"a":{"b":"y"}}`)) == nil {
					t.Error("a concurrent call goes wrong")
				}
			}
		})
	}
	group.Wait()
}

func TestManyProperties(t *testing.T) {
	t.Parallel()
	object := schema.New()
	var members []string
	for i := range 200 {
		object.Integer(fmt.Sprintf("p%d", i)).Required()
		members = append(members, fmt.Sprintf(`"p%d":%d`, 199-i, i))
	}
	if got := object.Validate([]byte("{" + strings.Join(members, ",") + "}")); got != nil {
		t.Errorf("200 properties: %v", got)
	}
	assertViolations(t, object.Validate([]byte("{"+strings.Join(members[1:], ",")+`,"p7":1}`)), "199 properties", []string{
		"/p7: this property is given twice; give it once", "/p199: required, an integer",
	})
	open := schema.New().Open()
	assertViolations(t, open.Validate([]byte("{"+strings.Join(members, ",")+`,"p\u0037":1}`)), "200 unknown properties", []string{
		"/p7: this property is given twice; give it once",
	})
}

func TestValidatorTellsAboutTheSchema(t *testing.T) {
	t.Parallel()
	object := schema.New()
	object.String("region").Header("Region").Required()
	object.Object("page").Integer("size").Header("Page-Size")
	object.Boolean("dry").Nullable().Header("Dry")
	v, err := object.Compile()
	if err != nil {
		t.Fatal(err)
	}
	encoded, _ := object.MarshalJSON()
	if string(v.Schema()) != string(encoded) {
		t.Errorf("Schema() = %s, want %s", v.Schema(), encoded)
	}
	if got := v.Properties(); strings.Join(got, " ") != "region page dry" {
		t.Errorf("Properties() = %v", got)
	}
	want := []schema.HeaderBinding{
		{Name: "Region", Path: []string{"region"}, Type: "string"},
		{Name: "Page-Size", Path: []string{"page", "size"}, Type: "integer"},
		{Name: "Dry", Path: []string{"dry"}, Type: "boolean"},
	}
	if got := v.Headers(); !reflect.DeepEqual(got, want) {
		t.Errorf("Headers() = %+v, want %+v", got, want)
	}
	assertViolations(t, v.Validate([]byte(`{"region":"a","page":{"size":9007199254740992}}`)), "a size that headers can't carry", []string{
		"/page/size: must be an integer from -9007199254740991 to 9007199254740991",
	})
}

func TestDefaultsAreMerged(t *testing.T) {
	t.Parallel()
	object := schema.New()
	object.String("a").Default("x")
	object.Integer("b")
	nested := object.Object("n")
	nested.Integer("c").Default(1)
	nested.String("d\"").Default("é")
	object.Objects("l").Items().Boolean("e").Default(true)
	object.Strings("s").Default("p", "q")
	for _, tt := range []struct{ data, want string }{
		{`{}`, `{"a":"x","s":["p","q"]}`},
		{` { "b" : 1 } `, ` { "b" : 1 ,"a":"x","s":["p","q"]} `},
		{`{"a":"y","s":[]}`, `{"a":"y","s":[]}`},
		{`{"\u0061":null,"s":[]}`, `{"\u0061":null,"s":[]}`},
		{`{"n":{},"l":[{},{"e":false}],"a":"","s":[]}`, `{"n":{"c":1,"d\"":"é"},"l":[{"e":true},{"e":false}],"a":"","s":[]}`},
		{`{"n":{"c":2,"d\"":""},"a":"","s":[],"l":[]}`, `{"n":{"c":2,"d\"":""},"a":"","s":[],"l":[]}`},
		{`[]`, `[]`},
		{`{"a":`, `{"a":`},
		{``, ``},
	} {
		v, err := object.Compile()
		if err != nil {
			t.Fatal(err)
		}
		if got := v.WithDefaults([]byte(tt.data)); string(got) != tt.want {
			t.Errorf("WithDefaults(%s) = %s, want %s", tt.data, got, tt.want)
		}
	}
	recursive, err := schema.Compile([]byte(`{"type":"object","properties":{"v":{"default":0},"next":{"$ref":"#"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := recursive.WithDefaults([]byte(`{"next":{"next":{}}}`)); string(got) != `{"next":{"next":{"v":0},"v":0},"v":0}` {
		t.Errorf("WithDefaults() of a recursive schema = %s", got)
	}
}

func TestCoercion(t *testing.T) {
	t.Parallel()
	object := schema.New()
	object.Integer("i")
	object.Number("n")
	object.Boolean("b")
	object.String("s")
	object.Integer("o").Nullable()
	object.Integers("l")
	object.Object("x").Integer("i")
	object.AnyOf("u").Integer()
	v, err := object.Compile()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ data, want string }{
		{`{"i":"3"}`, `{"i":3}`},
		{`{"i":"3.0"}`, `{"i":3}`},
		{`{"i":3.0}`, `{"i":3}`},
		{`{"i":"-1.5e1"}`, `{"i":-15}`},
		{`{"i":3}`, `{"i":3}`},
		{`{"n":"2.5"}`, `{"n":2.5}`},
		{`{"n":2.50}`, `{"n":2.50}`},
		{`{"b":"true"}`, `{"b":true}`},
		{`{"b":"false"}`, `{"b":false}`},
		{`{"s":3}`, `{"s":"3"}`},
		{`{"s":2.50}`, `{"s":"2.50"}`},
		{`{"s":"3"}`, `{"s":"3"}`},
		{`{"o":"3"}`, `{"o":3}`},
		{`{"o":null}`, `{"o":null}`},
		{` { "l" : [ "1" , 2, 3.0 ], "x":{"i":"4"} } `, ` { "l" : [ 1 , 2, 3 ], "x":{"i":4} } `},
		// Refused, for Validate to name.
		{`{"i":"abc"}`, `{"i":"abc"}`},
		{`{"i":""}`, `{"i":""}`},
		{`{"i":" 3"}`, `{"i":" 3"}`},
		{`{"i":"0x3"}`, `{"i":"0x3"}`},
		{`{"i":"3.5"}`, `{"i":"3.5"}`},
		{`{"i":3.5}`, `{"i":3.5}`},
		{`{"i":"1e999999999"}`, `{"i":"1e999999999"}`},
		{`{"n":"NaN"}`, `{"n":"NaN"}`},
		{`{"b":1}`, `{"b":1}`},
		{`{"b":"1"}`, `{"b":"1"}`},
		{`{"b":"True"}`, `{"b":"True"}`},
		{`{"i":true,"s":false,"n":null}`, `{"i":true,"s":false,"n":null}`},
		{`{"i":[3],"s":{"a":1}}`, `{"i":[3],"s":{"a":1}}`},
		{`{"u":"3"}`, `{"u":"3"}`},
		{`{"i":"3"`, `{"i":"3"`},
		{`{"i":"3"}}`, `{"i":"3"}}`},
	} {
		if got := v.Coerce([]byte(tt.data)); string(got) != tt.want {
			t.Errorf("Coerce(%s) = %s, want %s", tt.data, got, tt.want)
		}
	}
}
