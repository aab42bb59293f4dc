package jsonschema_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/json/jsonschema"
)

// small is the schema of a small tool, as the schema builder writes it.
const small = `{"type":"object","properties":{"message":{"type":"string","maxLength":10000},` +
	`"repeat":{"type":"integer","minimum":1,"maximum":10,"default":1},"tags":{"type":"array","items":{"type":"string"},"uniqueItems":true}},` +
	`"required":["message"],"additionalProperties":false}`

func TestValidDataCostsNoAllocation(t *testing.T) {
	v := compile(t, small)
	data := []byte(`{"message":"hello","repeat":2,"tags":["a","b"]}`)
	for name, run := range map[string]func(){
		"Validate":     func() { _ = v.Validate(data) },
		"WithDefaults": func() { _ = v.WithDefaults(data) },
		"Coerce":       func() { _ = v.Coerce(data, jsonschema.Coercion{}) },
	} {
		if got := testing.AllocsPerRun(100, run); got != 0 {
			t.Errorf("%s allocates %v times, want 0", name, got)
		}
	}
}

func BenchmarkValidate(b *testing.B) {
	v := compile(b, small)
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

func TestManyProperties(t *testing.T) {
	t.Parallel()
	var members, names, properties []string
	for i := range 200 {
		names = append(names, fmt.Sprintf(`"p%d"`, i))
		properties = append(properties, names[i]+`:{"type":"integer"}`)
		members = append(members, fmt.Sprintf(`"p%d":%d`, 199-i, i))
	}
	v := compile(t, `{"properties":{`+strings.Join(properties, ",")+`},"required":[`+strings.Join(names, ",")+`],"additionalProperties":false}`)
	if got := v.Validate([]byte("{" + strings.Join(members, ",") + "}")); got != nil {
		t.Errorf("200 properties: %v", got)
	}
	assertViolations(t, v.Validate([]byte("{"+strings.Join(members[1:], ",")+`,"p7":1}`)), "199 properties", []string{
		"/p7: this property is given twice; give it once", "/p199: required, an integer",
	})
	assertViolations(t, compile(t, `{}`).Validate([]byte("{"+strings.Join(members, ",")+`,"p\u0037":1}`)), "200 unknown properties", []string{
		"/p7: this property is given twice; give it once",
	})
}

func TestARepeatedNameIsFoundWhereverItIs(t *testing.T) {
	t.Parallel()
	free := compile(t, `{}`)
	var members []string
	for last := range 20 {
		name := strings.Repeat("n", 19-last) // the last one is empty
		members = append(members, `"`+name+`":1`)
		if got := free.Validate([]byte("{" + strings.Join(members, ",") + "}")); got != nil {
			t.Errorf("%d names: %v", last+1, got)
		}
		for first := range last + 1 {
			name := strings.Repeat("n", 19-first)
			assertViolations(t, free.Validate([]byte("{"+strings.Join(members, ",")+`,"`+name+`":2}`)), fmt.Sprintf("name %d again after %d", first+1, last+1), []string{
				"/" + name + ": this property is given twice; give it once",
			})
		}
	}
}

func TestTheValidatorDescribesItsSchema(t *testing.T) {
	t.Parallel()
	const raw = `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},` +
		`"page":{"properties":{"size":{"type":"integer","x-mcp-header":"Page-Size"}}},"dry":{"type":["boolean","null"],"x-mcp-header":"Dry"}}}`
	v := compile(t, raw)
	if string(v.Schema()) != raw {
		t.Errorf("Schema() = %s, want %s", v.Schema(), raw)
	}
	refused := []string{"/page/size: must be an integer from -9007199254740991 to 9007199254740991"}
	want := []jsonschema.HeaderBinding{
		{Name: "Region", Path: []string{"region"}, Type: "string"},
		{Name: "Page-Size", Path: []string{"page", "size"}, Type: "integer"},
		{Name: "Dry", Path: []string{"dry"}, Type: "boolean"},
	}
	if got := v.Headers(); !reflect.DeepEqual(got, want) {
		t.Errorf("Headers() = %+v, want %+v", got, want)
	}
	for size, want := range map[string][]string{
		"9007199254740991": nil, "9007199254740992": refused, "18446744073709551616": refused, "9007199254740992.0": refused,
		"-9007199254740991": nil, "-9007199254740992": refused, "-18446744073709551616": refused, "-9.007199254740992e15": refused,
	} {
		assertViolations(t, v.Validate([]byte(`{"region":"a","page":{"size":`+size+`}}`)), "the size "+size+" in a header", want)
	}
}

func TestDefaultsAreMerged(t *testing.T) {
	t.Parallel()
	v := compile(t, `{"properties":{"a":{"default":"x"},"b":{},"n":{"properties":{"c":{"default":1},"d\"":{"default":"é"}}},`+
		`"l":{"items":{"properties":{"e":{"default":true}}}},"s":{"default":["p","q"]}}}`)
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
		if got := v.WithDefaults([]byte(tt.data)); string(got) != tt.want {
			t.Errorf("WithDefaults(%s) = %s, want %s", tt.data, got, tt.want)
		}
	}
	referring := compile(t, `{"properties":{"a":{"$ref":"#/$defs/d"}},"$defs":{"d":{"default":1}}}`)
	if got := referring.WithDefaults([]byte(`{}`)); string(got) != `{"a":1}` {
		t.Errorf("WithDefaults() of a schema with a reference = %s", got)
	}
	var names, members []string
	for i := range 200 {
		names = append(names, fmt.Sprintf(`"p%d":{"default":0}`, i))
		members = append(members, fmt.Sprintf(`"p%d":0`, i))
	}
	wide := compile(t, `{"properties":{`+strings.Join(names, ",")+`}}`)
	if got := wide.WithDefaults([]byte(`{` + strings.Join(members[:199], ",") + `}`)); string(got) != `{`+strings.Join(members, ",")+`}` {
		t.Errorf("WithDefaults() of a schema with 200 properties = %s", got)
	}
	recursive := compile(t, `{"type":"object","properties":{"v":{"default":0},"next":{"$ref":"#"}}}`)
	if got := recursive.WithDefaults([]byte(`{"next":{"next":{}}}`)); string(got) != `{"next":{"next":{"v":0},"v":0},"v":0}` {
		t.Errorf("WithDefaults() of a recursive schema = %s", got)
	}
}

func TestCoercion(t *testing.T) {
	t.Parallel()
	v := compile(t, `{"properties":{"i":{"type":"integer"},"n":{"type":"number"},"b":{"type":"boolean"},"s":{"type":"string"},"o":{"type":["integer","null"]},"e":{"type":["integer","string"]},`+
		`"l":{"type":"array","items":{"type":"integer"}},"x":{"properties":{"i":{"type":"integer"}}},"u":{"anyOf":[{"type":"integer"}]}}}`)
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
		// No conversion: Validate refuses them.
		{`{"i":"abc"}`, `{"i":"abc"}`},
		{`{"i":" 3"}`, `{"i":" 3"}`},
		{`{"i":"0x3"}`, `{"i":"0x3"}`},
		{`{"i":"3.5"}`, `{"i":"3.5"}`},
		{`{"i":3.5}`, `{"i":3.5}`},
		{`{"e":3.5}`, `{"e":3.5}`},
		{`{"i":"true","s":"true"}`, `{"i":"true","s":"true"}`},
		{`{"i":"1e999999999"}`, `{"i":"1e999999999"}`},
		{`{"n":"NaN"}`, `{"n":"NaN"}`},
		{`{"b":1}`, `{"b":1}`},
		{`{"b":"1"}`, `{"b":"1"}`},
		{`{"b":"True"}`, `{"b":"True"}`},
		{`{"i":true,"s":false,"n":[]}`, `{"i":true,"s":false,"n":[]}`},
		{`{"i":[3],"s":{"a":1}}`, `{"i":[3],"s":{"a":1}}`},
		{`{"u":"3"}`, `{"u":"3"}`},
		{`{"i":"3"`, `{"i":"3"`},
		{`{"i":"3"}}`, `{"i":"3"}}`},
	} {
		if got := v.Coerce([]byte(tt.data), jsonschema.Coercion{}); string(got) != tt.want {
			t.Errorf("Coerce(%s) = %s, want %s", tt.data, got, tt.want)
		}
	}
}
