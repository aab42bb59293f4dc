package codec_test

import (
	"encoding/json"
	"net/netip"
	"reflect"
	"testing"

	"github.com/bowline-mcp/bowline/internal/json/codec"
)

func TestAnInstanceHasIntegersAsJSONSchemaDoes(t *testing.T) {
	t.Parallel()
	type into struct {
		I int8
		U uint
		F float64
	}
	for data, want := range map[string]into{
		`{"I":3.0,"U":1e2,"F":2.50}`: {3, 100, 2.5},
		`{"I":-0,"U":-0,"F":1}`:      {0, 0, 1},
		`{"I":-1,"U":1}`:             {-1, 1, 0},
	} {
		var got into
		if err := codec.UnmarshalInstance([]byte(data), &got); err != nil || got != want {
			t.Errorf("%s: got %+v, %v", data, got, err)
		}
	}
	for _, data := range []string{`{"I":3.5}`, `{"I":300.0}`, `{"U":-1.0}`, `{"I":"3.0"}`, `{`} {
		if err := codec.UnmarshalInstance([]byte(data), new(into)); err == nil {
			t.Errorf("%s is taken", data)
		}
	}
}

func TestARefusalSaysWhatAndWhere(t *testing.T) {
	t.Parallel()
	type in struct {
		N     int8                `json:"n"`
		Addr  []netip.Addr        `json:"addr"`
		ByKey map[netip.Addr]bool `json:"byKey"`
		Raw   *readsJSONStrictly  `json:"raw"`
		Text  writesText          `json:"text"`
		Chan  chan int            `json:"chan"`
	}
	for data, want := range map[string]struct {
		pointer, have, field string
		of, own              reflect.Type
		oneWay               bool
	}{
		`{"n":300}`:            {"/n", "a number", "N", reflect.TypeFor[int8](), nil, false},
		`{"addr":["x"]}`:       {"/addr/0", "a string", "Addr", reflect.TypeFor[netip.Addr](), reflect.TypeFor[netip.Addr](), false},
		`{"byKey":{"x":true}}`: {"/byKey/x", "a string", "ByKey", reflect.TypeFor[netip.Addr](), reflect.TypeFor[netip.Addr](), false},
		`{"byKey":{"::":1}}`:   {"/byKey/::", "a number", "ByKey", reflect.TypeFor[bool](), nil, false},
		`{"raw":{"a":1}}`:      {"/raw", "an object", "Raw", reflect.TypeFor[readsJSONStrictly](), reflect.TypeFor[readsJSONStrictly](), false},
		`{"text":"a"}`:         {"/text", "a string", "Text", reflect.TypeFor[writesText](), nil, true},
		`{"chan":1}`:           {"/chan", "something else", "Chan", reflect.TypeFor[chan int](), nil, true},
		`[]`:                   {"", "an array", "", reflect.TypeFor[in](), nil, false},
	} {
		err := codec.Unmarshal([]byte(data), new(in))
		got, ok := codec.RefusalOf(err, reflect.TypeFor[in]())
		if !ok || got.Pointer != want.pointer || got.Have != want.have || got.Place.Field != want.field || got.Type != want.of || got.Place.Own != want.own || got.OneWay != want.oneWay {
			t.Errorf("%s: got %+v, %t", data, got, ok)
		}
	}
	for _, data := range []string{`{`, `{"n":1,"n":2}`} {
		if got, ok := codec.RefusalOf(codec.Unmarshal([]byte(data), new(in)), reflect.TypeFor[in]()); ok {
			t.Errorf("%s: got %+v", data, got)
		}
	}
	if got := codec.Explain(codec.Unmarshal([]byte(`"x"`), new(int)), "/a/0"); got != "/a/0 must be an integer, not a string" {
		t.Errorf("got %s", got)
	}
}

// readsJSONStrictly decodes its value by the standard library, whose errors are its own.
type readsJSONStrictly struct{ A string }

func (r *readsJSONStrictly) UnmarshalJSON(data []byte) error {
	var in struct {
		A string `json:"a"`
	}
	err := json.Unmarshal(data, &in)
	r.A = in.A
	return err
}
