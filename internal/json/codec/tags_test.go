package codec_test

import (
	"encoding/json"
	"net/netip"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// one returns a struct type of one field with a json tag.
func one(field reflect.Type, tag string) reflect.Type {
	return reflect.StructOf([]reflect.StructField{{Name: "A", Type: field, Tag: reflect.StructTag(`json:"` + tag + `"`)}})
}

func TestATagThatTheCodecRefusesIsAMistake(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		of        reflect.Type
		tag       string
		want, fix string
	}{
		{reflect.TypeFor[int](), "a, omitempty", "has a blank beside the option omitempty", `write json:"a,omitempty"`},
		{reflect.TypeFor[int](), "a,omitempty ", "has a blank beside the option omitempty", `write json:"a,omitempty"`},
		{reflect.TypeFor[int](), ",omitEmpty", "spells the option omitempty as omitEmpty", `write json:",omitempty"`},
		{reflect.TypeFor[int](), "a,omit_zero,string", "spells the option omitzero as omit_zero", `write json:"a,omitzero,string"`},
		{reflect.TypeFor[int](), "a,", "has a comma without an option", `write json:"a"`},
		{reflect.TypeFor[int](), "-,", "has a comma without an option", `write json:"-" to leave the field out, or choose another name`},
		{reflect.TypeFor[int](), ",", "has a comma without an option", "drop the tag"},
		{reflect.TypeFor[int](), "a,,omitempty", "has a comma without an option", `write json:"a,omitempty"`},
		{reflect.TypeFor[int](), "a,omitempty,omitempty", "repeats the option omitempty", `write json:"a,omitempty"`},
		{reflect.TypeFor[int](), "a,omitempty:true", "gives a value to the option omitempty", `write json:"a,omitempty"`},
		{reflect.TypeFor[int](), "a,inline", `has the unknown option "inline"`, `write json:"a"`},
		{reflect.TypeFor[int](), "a,required,omitempty", `has the unknown option "required"`, `write json:"a,omitempty"`},
		{reflect.TypeFor[struct{}](), ",embed", "has the option embed, which is not supported", "drop the tag"},
		{reflect.TypeFor[[]byte](), "a,format:hex", "has the option format, which is not supported", `write json:"a"`},
		{reflect.TypeFor[int](), "a,case:ignore", "has the option case, but names are always case-sensitive", `write json:"a"`},
		{reflect.TypeFor[int](), "it's", "has a quote or a backslash in the name", `write json:"its"`},
		{reflect.TypeFor[int](), `it\\s`, "has a quote or a backslash in the name", `write json:"its"`},
		{reflect.TypeFor[int](), `a\xff`, "has a name that is not valid UTF-8", `write json:"a"`},
		{reflect.TypeFor[int](), "it's, omitempty", "has a quote or a backslash in the name and has a blank beside the option omitempty", `write json:"its,omitempty"`},
		{reflect.TypeFor[bool](), "a,string", "has the option string, which is for numbers and not for bool", `write json:"a"`},
		{reflect.TypeFor[string](), "a,string", "not for string", `write json:"a"`},
		{reflect.TypeFor[*[]int](), "a,string", "not for *[]int", `write json:"a"`},
		{reflect.TypeFor[time.Time](), "a,string", "not for time.Time", `write json:"a"`},
		{reflect.TypeFor[any](), "a,string,omitzero", "not for interface {}", `write json:"a,omitzero"`},
		{reflect.TypeFor[oneWay](), "a,string", "not for codec_test.oneWay", `write json:"a"`},
	} {
		of := one(test.of, test.tag)
		got := codec.TagMistakes(of)
		tag, _ := of.Field(0).Tag.Lookup("json")
		want := codec.TagMistake{Problem: "", Fix: test.fix}
		if len(got) != 1 || !strings.HasSuffix(got[0].Problem, test.want) || got[0].Fix != want.Fix {
			t.Errorf("json:%q of %s: got %q, want one that ends in %q, with the fix %q", tag, test.of, got, test.want, test.fix)
		}
		if got != nil && !strings.Contains(got[0].Problem, "of the field A of "+of.String()) {
			t.Errorf("json:%q: %q doesn't name the field and its struct", tag, got[0].Problem)
		}
	}
}

// oneWay is a text that is written and not read.
type oneWay bool

func (oneWay) MarshalText() ([]byte, error) { return nil, nil }

func TestATagThatTheCodecReadsIsNoMistake(t *testing.T) {
	t.Parallel()
	for of, tags := range map[reflect.Type][]string{
		reflect.TypeFor[int]():           {"", "-", "a", "a,omitempty", ",omitzero", "a,string", "a,omitempty,string,omitzero", "-,omitempty", "a b", "ä.$-_"},
		reflect.TypeFor[float32]():       {"a,string"},
		reflect.TypeFor[*uint8]():        {"a,string"},
		reflect.TypeFor[float64]():       {"a,string"},
		reflect.TypeFor[uintptr]():       {"a,string"},
		reflect.TypeFor[time.Duration](): {"a,string"},
		reflect.TypeFor[netip.Addr]():    {"a,string"},
		reflect.TypeFor[codec.Value]():   {"a,string"},
	} {
		for _, tag := range tags {
			if got := codec.TagMistakes(one(of, tag)); got != nil {
				t.Errorf("json:%q of %s: %q", tag, of, got)
			}
			if err := codec.Try(one(of, tag)); err != nil {
				t.Errorf("json:%q of %s: the codec refuses it: %v", tag, of, err)
			}
		}
	}
}

type (
	Base   struct{ ID int }
	Other  struct{ ID string }
	Tagged struct {
		X int `json:"ID"`
	}
	Same struct {
		ID bool `json:"ID"`
	}
	Level   int
	List    []int
	hidden  struct{ H int }
	Between struct{ Base }
	private struct {
		a int
	}
	Twins struct {
		A int
		B int `json:"A"`
	}
)

func TestAFieldThatCannotBeEmbeddedIsAMistake(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		of   any
		want []string // problem, fix
	}{
		{struct {
			a int `json:"a"`
		}{}, []string{`the field a of struct { a int "json:\"a\"" } is not exported, but has the tag json:"a"; export the field, or drop its tag`}},
		{struct{ Level }{}, []string{`struct { codec_test.Level } embeds codec_test.Level, which is not a struct, without a name; give it a name, as in json:"level"`}},
		{struct{ *List }{}, []string{`embeds *codec_test.List, which is not a struct, without a name; give it a name, as in json:"list"`}},
		{struct{ time.Time }{}, []string{`embeds time.Time, which has a JSON form of its own, without a name; give it a name, as in json:"time"`}},
		{struct{ oneWay }{}, []string{`embeds codec_test.oneWay, which is not a struct, without a name; leave it out with json:"-", or export its type`}},
		{struct {
			hidden `json:"hidden"`
		}{}, []string{`embeds codec_test.hidden with the tag json:"hidden", but the type is not exported; drop the name, or export the type`}},
		{struct {
			Base `json:",omitempty"`
		}{}, []string{`embeds codec_test.Base with the tag json:",omitempty", but the fields of an embedded struct take no options; drop the tag`}},
		{struct {
			Base `json:"base, omitempty"`
		}{}, []string{`the tag json:"base, omitempty" of the field Base of struct { codec_test.Base "json:\"base, omitempty\"" } has a blank beside the option omitempty; write json:"base,omitempty"`}},
		{private{}, []string{`codec_test.private has fields, but none that is exported; export them, or leave the value out with json:"-"`}},
		{sync.Mutex{}, []string{`sync.Mutex has fields, but none that is exported; export them`}},
		{struct {
			sync.Mutex
			A int
		}{}, []string{`sync.Mutex has fields, but none that is exported`}},
		{Twins{}, []string{`the fields A and B of codec_test.Twins have the JSON name "A"; give each a name of its own by its json tag`}},
		{struct {
			Twins
			A string
		}{}, []string{`the fields A and B of codec_test.Twins have the JSON name "A"`}},
		{struct {
			Base
			Other
		}{}, []string{`the fields ID of codec_test.Base and ID of codec_test.Other, which are embedded in struct { codec_test.Base; codec_test.Other }, have the JSON name "ID", so none of them is encoded; give each`}},
		{struct {
			Tagged
			*Same
		}{}, []string{`the fields X of codec_test.Tagged and ID of codec_test.Same, which are embedded in`}},
		{struct {
			Base
			Between
		}{}, nil},
		{struct {
			Base
			Tagged
		}{}, nil},
		{struct {
			Base
			Other
			Tagged
		}{}, nil},
		{struct {
			Base
			Other
			ID float64
		}{}, nil},
		{struct {
			*Base  `json:",inline"`
			hidden // its fields are exported
			N      int
			skip   sync.Mutex
			Skip   sync.Mutex `json:"-"`
		}{}, nil},
		{struct{}{}, nil},
	} {
		of := reflect.TypeOf(test.of)
		got := codec.TagMistakes(of)
		if len(got) != len(test.want) {
			t.Errorf("%s: got %q, want %q", of, got, test.want)
			continue
		}
		for i, want := range test.want {
			if text := got[i].Problem + "; " + got[i].Fix; !strings.Contains(text, want) {
				t.Errorf("%s: got\n%s\nwant\n%s", of, text, want)
			}
		}
		if codec.Encoded(of) != codec.OfKind {
			continue // by a method of what it embeds
		}
		if err := codec.Try(of); (err != nil) != (len(got) > 0) && !strings.Contains(got[0].Problem, "so none of them is encoded") && !strings.Contains(got[0].Problem, "type is not exported") {
			t.Errorf("%s: the codec says %v", of, err)
		}
	}
}

func TestMistakesAreFoundAtOnceAndOnce(t *testing.T) {
	t.Parallel()
	type Inner struct {
		A int `json:"a, omitempty"`
	}
	type Outer struct{ Inner }
	got := codec.TagMistakes(reflect.TypeFor[struct {
		Inner
		*Outer
		B bool `json:"b,string"`
		C int  `json:"c,"`
	}]())
	if len(got) != 3 {
		t.Errorf("got %d: %q", len(got), got)
	}
	type recursive struct {
		*json.RawMessage
		Next []recursive `json:"next "`
	}
	type Cycle struct {
		*Cycle
		A int
	}
	if got := codec.TagMistakes(reflect.TypeFor[recursive]()); len(got) != 1 {
		t.Errorf("got %q", got)
	}
	if got := codec.TagMistakes(reflect.TypeFor[Cycle]()); got != nil {
		t.Errorf("got %q", got)
	}
}
