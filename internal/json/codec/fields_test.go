package codec_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/internal/json/codec"
)

func TestFieldsAreThoseThatAreEncoded(t *testing.T) {
	t.Parallel()
	type In struct {
		Between
		*Other
		hidden
		Named Base    `json:"named,omitempty"`
		Out   int     `json:"-"`
		Text  float64 `json:",string"`
		skip  int
		Zero  *int `json:"zero,omitzero"`
	}
	var lines []string
	for _, f := range codec.Fields(reflect.TypeFor[In]()) {
		lines = append(lines, fmt.Sprintf("%s %s %s %t %t %t %t", f.Name, f.GoName, f.Type, f.Tagged, f.Omitted, f.Optional, f.Quoted))
	}
	want := []string{
		"ID ID string false false true false", // of Other, which is less nested than Base
		"H H int false false false false",
		"named Named codec_test.Base true true true false",
		"Text Text float64 false false false true",
		"zero Zero *int true true true false",
	}
	if strings.Join(lines, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
	if got := codec.Fields(reflect.TypeFor[struct {
		Base
		Tagged
	}]()); len(got) != 1 || got[0].GoName != "X" {
		t.Errorf("a tag doesn't win: %v", got)
	}
	if got := codec.Fields(reflect.TypeFor[struct {
		Base
		Other
		*Same
		Tagged
	}]()); len(got) != 0 {
		t.Errorf("one of several equals wins: %v", got)
	}
}

func TestAPointerLeadsToAPlace(t *testing.T) {
	t.Parallel()
	type Node struct {
		At   time.Time           `json:"a/t"`
		Next []*Node             `json:"next"`
		Map  map[string][]string `json:"map"`
		Raw  json.RawMessage     `json:"raw"`
	}
	for pointer, want := range map[string]string{
		"":                  "  true ",
		"/a~1t":             "At codec_test.Node true time.Time",
		"/next":             "Next codec_test.Node true ",
		"/next/0":           "Next codec_test.Node false ",
		"/next/0/next/7":    "Next codec_test.Node false ",
		"/next/0/map/a/3":   "Map codec_test.Node false ",
		"/next/0/map/a/3/4": "Map codec_test.Node false ",
		"/raw/a/b":          "Raw codec_test.Node true " + reflect.TypeFor[json.RawMessage]().String(), // Go 1.27 has an alias
		"/none":             "  false ",
		"/next/0/none":      "Next codec_test.Node false ",
	} {
		at := codec.At(reflect.TypeFor[*Node](), pointer)
		name := func(t reflect.Type) string {
			if t == nil {
				return ""
			}
			return t.String()
		}
		if got := fmt.Sprintf("%s %s %t %s", at.Field, name(at.Owner), at.Exact, name(at.Own)); got != want {
			t.Errorf("%s leads to %q, want %q", pointer, got, want)
		}
	}
	if at := codec.At(reflect.TypeFor[big.Int](), "/a"); at.Own != reflect.TypeFor[big.Int]() {
		t.Errorf("big.Int: %v", at)
	}
}

// The forms of a type.
type (
	writesText struct{ A int }
	readsText  struct{ A int }
	appends    struct{ A int }
	writesJSON struct{ A int }
	readsJSON  struct{ A int }
	notJSON    struct{ A int }
	streams    struct{ A int }
)

func (writesText) MarshalText() ([]byte, error)         { return []byte("a"), nil }
func (*readsText) UnmarshalText([]byte) error           { return nil }
func (appends) AppendText(b []byte) ([]byte, error)     { return append(b, 'a'), nil }
func (writesJSON) MarshalJSON() ([]byte, error)         { return []byte("1"), nil }
func (*readsJSON) UnmarshalJSON([]byte) error           { return nil }
func (notJSON) MarshalJSON() string                     { return "" } //nolint:govet // a method of another signature
func (*notJSON) UnmarshalText(string) error             { return nil }
func (*streams) UnmarshalJSONFrom(*codec.Decoder) error { return nil }

func TestATypeHasTheFormOfItsMethods(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		of               reflect.Type
		encoded, decoded codec.Form
	}{
		{reflect.TypeFor[int](), codec.OfKind, codec.OfKind},
		{reflect.TypeFor[any](), codec.OfKind, codec.OfKind},
		{reflect.TypeFor[json.Marshaler](), codec.OfKind, codec.OfKind},
		{reflect.TypeFor[notJSON](), codec.OfKind, codec.OfKind},
		{reflect.TypeFor[time.Time](), codec.AsJSON, codec.AsJSON},
		{reflect.TypeFor[netip.Addr](), codec.AsText, codec.AsText},
		{reflect.TypeFor[writesText](), codec.AsText, codec.OfKind},
		{reflect.TypeFor[readsText](), codec.OfKind, codec.AsText},
		{reflect.TypeFor[appends](), codec.AsText, codec.OfKind},
		{reflect.TypeFor[writesJSON](), codec.AsJSON, codec.OfKind},
		{reflect.TypeFor[readsJSON](), codec.OfKind, codec.AsJSON},
		{reflect.TypeFor[streams](), codec.OfKind, codec.AsJSON},
	} {
		if e, d := codec.Encoded(test.of), codec.Decoded(test.of); e != test.encoded || d != test.decoded {
			t.Errorf("%s: %d, %d, want %d, %d", test.of, e, d, test.encoded, test.decoded)
		}
	}
}

func TestOnlySlicesAndArraysOfByteAreBase64(t *testing.T) {
	t.Parallel()
	type octet byte
	for of, want := range map[reflect.Type]bool{
		reflect.TypeFor[[]byte](): true, reflect.TypeFor[[2]byte](): true,
		reflect.TypeFor[[]octet](): false, reflect.TypeFor[[2]int](): false, reflect.TypeFor[map[string]byte](): false, reflect.TypeFor[byte](): false,
	} {
		if got := codec.IsBytes(of); got != want {
			t.Errorf("IsBytes(%s) = %t", of, got)
		}
	}
}

func TestAOneWayTypeIsFoundInEveryPlace(t *testing.T) {
	t.Parallel()
	type deep struct {
		A []map[string]*writesText
		B struct{ C [1]writesJSON }
		D map[oneWay]int
		E fmt.Stringer
		F []readsText
		G time.Time
		H codec.Value
		I *deep2
		J nest
	}
	lines := func(err error) string {
		if err == nil {
			return ""
		}
		return err.Error()
	}
	want := strings.Join([]string{
		"the field A of codec_test.deep is of type codec_test.writesText, which is written as a text by MarshalText, but can't be read from one; give *codec_test.writesText an UnmarshalText method",
		"the field C of struct { C [1]codec_test.writesJSON } is of type codec_test.writesJSON, which is written by a MarshalJSON method, but can't be read; give *codec_test.writesJSON an UnmarshalJSON method",
		"the field D of codec_test.deep has keys of type codec_test.oneWay, which is written as a text",
		"the field E of codec_test.deep is of the interface type fmt.Stringer, which can't be decoded; use a struct, or any",
		"the field H of codec_test.deep2 is behind the embedded pointer *codec_test.hidden, which can't be set since its type is not exported; embed the struct itself",
		"the field Late of codec_test.deep2 is of type codec_test.writesText, which is written as a text",
	}, "\n")
	got := lines(codec.CheckDecoded(reflect.TypeFor[*deep]()))
	for line := range strings.SplitSeq(want, "\n") {
		if !strings.Contains("\n"+got, "\n"+line) {
			t.Errorf("it lacks\n%s\nin\n%s", line, got)
		}
	}
	if strings.Count(got, "\n") != 5 {
		t.Errorf("got\n%s", got)
	}
	if got, want := lines(codec.CheckEncoded(reflect.TypeFor[deep]())),
		"the field F of codec_test.deep is of type codec_test.readsText, which is read from a text by UnmarshalText, but not written as one; give codec_test.readsText a MarshalText method"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for _, of := range []reflect.Type{reflect.TypeFor[int](), reflect.TypeFor[time.Time](), reflect.TypeFor[struct{ A []byte }]()} {
		if err := codec.CheckDecoded(of); err != nil {
			t.Errorf("%s: %v", of, err)
		}
	}
}

type deep2 struct {
	*hidden
	Next []deep2
	Late writesText
}
