package schema_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"net/netip"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/framework/schema"
)

// The named types of the promises.
type (
	Count    int
	Small    int8
	Octet    uint8
	Octets   []byte
	Key16    [16]byte
	Label    string
	Ratio    float32
	Flag     bool
	Wait     time.Duration
	Labels   []string
	ByLabel  map[Label]int
	Level    int                // text, by values
	Point    struct{ X, Y int } // text, by pointers
	Prefixed []byte             // text
	Appended int                // text, by AppendText
	Money    struct{ Cents int }
	Price    struct{ Cents int } // describes itself
	Shape    struct{ Sides int } // describes itself as an object
	Unit     string              // describes itself, and has no methods for JSON
	Written  int                 // text that can't be read
	Read     int                 // text that can't be written
	Spoken   struct{ A int }     // JSON that can't be read
	Lock     struct{ sync.Mutex }
	Inner    struct {
		A int     `json:"a"`
		B *string `json:"b,omitempty"`
	}
	Pair[T any] struct {
		First  T   `json:"first"`
		Second []T `json:"second"`
	}
	Node struct {
		Name     string          `json:"name"`
		Next     *Node           `json:"next"`
		Maybe    *Node           `json:"maybe,omitempty"`
		Children []Node          `json:"children"`
		Others   []*Node         `json:"others"`
		ByName   map[string]Node `json:"byName"`
	}
	Ring[T any] struct {
		Value T        `json:"value"`
		Rest  *Ring[T] `json:"rest"`
	}
	Tree map[string]Tree
	Nest []Nest
	Ping struct {
		Pong *Pong `json:"pong"`
	}
	Pong struct {
		Ping Pings `json:"ping"`
	}
	Pings []Ping
)

func (l Level) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "L%d", int(l)), nil }
func (l *Level) UnmarshalText(text []byte) error {
	_, err := fmt.Sscanf(string(text), "L%d", (*int)(l))
	return err
}

func (p *Point) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%d,%d", p.X, p.Y), nil }
func (p *Point) UnmarshalText(text []byte) error {
	_, err := fmt.Sscanf(string(text), "%d,%d", &p.X, &p.Y)
	return err
}

func (p Prefixed) MarshalText() ([]byte, error) { return append([]byte("p:"), p...), nil }
func (p *Prefixed) UnmarshalText(text []byte) error {
	rest, ok := strings.CutPrefix(string(text), "p:")
	if *p = Prefixed(rest); !ok {
		return errors.New("no p: in front")
	}
	return nil
}

func (a Appended) AppendText(b []byte) ([]byte, error) { return fmt.Appendf(b, "A%d", int(a)), nil }
func (a *Appended) UnmarshalText(text []byte) error {
	_, err := fmt.Sscanf(string(text), "A%d", (*int)(a))
	return err
}

func (m Money) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, `{"cents":%d}`, m.Cents), nil }
func (m *Money) UnmarshalJSON(data []byte) error {
	var in struct{ Cents *int }
	if err := json.Unmarshal(data, &in); err != nil || in.Cents == nil {
		return fmt.Errorf("no money: %w", err)
	}
	m.Cents = *in.Cents
	return nil
}

func (p Price) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, `"%d EUR"`, p.Cents), nil }
func (p *Price) UnmarshalJSON(data []byte) error {
	_, err := fmt.Sscanf(string(data), `"%d EUR"`, &p.Cents)
	return err
}
func (*Price) JSONSchema(s *schema.Subschema) {
	s.String().Enum("0 EUR", "5 EUR").Description("What it costs.")
}

func (s Shape) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, `{"sides":%d}`, s.Sides), nil }
func (s *Shape) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, (*struct{ Sides int })(s))
}
func (Shape) JSONSchema(s *schema.Subschema) {
	s.Object().Integer("sides").Min(0).Max(9).Required()
}

func (Unit) JSONSchema(s *schema.Subschema) { s.String().Enum("", "m", "kg") }

func (Written) MarshalText() ([]byte, error) { return []byte("w"), nil }
func (*Read) UnmarshalText([]byte) error     { return nil }
func (Spoken) MarshalJSON() ([]byte, error)  { return []byte("1"), nil }

// A kind is a type with values of it.
type kind struct {
	name     string
	of       reflect.Type
	values   []any
	own      bool   // whether the type decodes itself
	loose    bool   // whether its zero value comes back as another
	quotable bool   // whether the option string of a json tag applies
	key      bool   // whether it can be the key of a map
	refused  string // what the error at boot says in each position
}

func kindOf[T any](name string, values ...T) kind {
	k := kind{name: name, of: reflect.TypeFor[T]()}
	for _, v := range values {
		k.values = append(k.values, v)
	}
	return k
}

func (k kind) number() kind {
	k.quotable = true
	return k
}

func (k kind) keyed() kind {
	k.key = true
	return k
}

func (k kind) decodesItself() kind {
	k.own, k.quotable = true, true
	return k
}

func (k kind) refusing(text string) kind {
	k.refused = text
	return k
}

func kinds() []kind {
	text := "é\"\\/\n<&>😀"
	raw := kindOf("json.RawMessage", json.RawMessage(`{"a":[1,null]}`), json.RawMessage(`"x"`)).decodesItself()
	raw.loose = true
	whole := kindOf("big.Int", *big.NewInt(7)).decodesItself()
	whole.loose = true
	moment := kindOf("time.Time", time.Date(2026, 7, 28, 12, 0, 0, 5, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)).keyed()
	return []kind{
		kindOf("bool", true),
		kindOf("int", math.MinInt, math.MaxInt, -1).number().keyed(),
		kindOf[int8]("int8", math.MinInt8, math.MaxInt8).number().keyed(),
		kindOf[int16]("int16", math.MinInt16, math.MaxInt16).number().keyed(),
		kindOf[int32]("int32", math.MinInt32, math.MaxInt32).number().keyed(),
		kindOf[int64]("int64", math.MinInt64, math.MaxInt64).number().keyed(),
		kindOf[uint]("uint", math.MaxUint).number().keyed(),
		kindOf[uint8]("uint8", math.MaxUint8).number().keyed(),
		kindOf[uint16]("uint16", math.MaxUint16).number().keyed(),
		kindOf[uint32]("uint32", math.MaxUint32).number().keyed(),
		kindOf[uint64]("uint64", math.MaxUint64).number().keyed(),
		kindOf[uintptr]("uintptr", 1).number().keyed(),
		kindOf[float32]("float32", math.MaxFloat32, -math.MaxFloat32, 0.1, math.SmallestNonzeroFloat32).number(),
		kindOf("float64", math.MaxFloat64, -1e-300, 1.5, 3).number(),
		kindOf("string", "a", text).keyed(),
		kindOf("[]byte", []byte{0}, []byte{1, 2}, []byte{1, 2, 3}),
		kindOf("[4]byte", [4]byte{1, 2, 3, 4}),
		kindOf("[5]byte", [5]byte{255}),
		kindOf("[6]byte", [6]byte{1}),
		kindOf("[0]byte", [0]byte{}),
		kindOf("time.Duration", time.Second, math.MinInt64).number().keyed(),
		kindOf[any]("any", "x", 1.5, true, []any{"a", nil}, map[string]any{"k": 1.0}),
		moment,
		raw,
		whole,
		kindOf("netip.Addr", netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("2001:db8::1%eth0")).decodesItself().keyed(),
		kindOf("a named int", Count(-3), math.MaxInt).number().keyed(),
		kindOf("a named int8", Small(-128)).number().keyed(),
		kindOf("a named byte", Octet(255)).number().keyed(),
		kindOf("a list of named bytes", []Octet{0, 255}),
		kindOf("an array of named bytes", [2]Octet{7, 255}),
		kindOf("named bytes", Octets{1, 2}),
		kindOf("a named array of bytes", Key16{1, 2}),
		kindOf("a named string", Label("x"), Label(text)).keyed(),
		kindOf("a named float32", Ratio(0.25), Ratio(math.MaxFloat32)).number(),
		kindOf("a named bool", Flag(true)),
		kindOf("a named duration", Wait(5)).number().keyed(),
		kindOf("a named list", Labels{"a", text}),
		kindOf("a named map", ByLabel{"a": 1, "": 2}),
		kindOf("a text by values", Level(-3)).decodesItself().keyed(),
		kindOf("a text by pointers", Point{1, -2}).decodesItself().keyed(),
		kindOf("bytes as a text", Prefixed("abc")).decodesItself(),
		kindOf("a text that is appended", Appended(4)).decodesItself().keyed(),
		kindOf("JSON of its own", Money{5}).decodesItself(),
		kindOf("JSON that is described", Price{5}).decodesItself().keyed(), // as a string
		kindOf("an object that is described", Shape{9}).decodesItself(),
		kindOf("a string that is described", Unit("m"), Unit("kg")).keyed(),
		kindOf("a struct", Inner{1, new("b")}),
		kindOf("an empty struct", struct{}{}),
		kindOf("an unnamed struct", struct{ A []int }{[]int{1}}),
		kindOf("a generic struct", Pair[Small]{1, []Small{127}}),
		kindOf("a struct of texts", Pair[Level]{1, []Level{2}}).ownParts(),
		kindOf("a recursive struct", Node{Name: "a", Next: &Node{Name: "b"}, Maybe: &Node{}, Children: []Node{{}}, Others: []*Node{nil, {}}, ByName: map[string]Node{"c": {}}}),
		kindOf("a generic recursive struct", Ring[Octet]{1, &Ring[Octet]{255, nil}}),
		kindOf("a recursive map", Tree{"a": {"b": nil}}),
		kindOf("a recursive list", Nest{{}, {{}}}),
		kindOf("types that contain each other", Ping{&Pong{Pings{{nil}}}}),
		kindOf("a map", map[string]int{"a": 1}),
		kindOf("a map by numbers", map[int8]Inner{-128: {A: 2}}),

		kindOf[chan int]("a channel").refusing("the type chan int can't be written as JSON"),
		kindOf[func()]("a function").refusing("the type func() can't be written as JSON"),
		kindOf[complex128]("a complex number").refusing("the type complex128 can't be written as JSON"),
		kindOf[sync.Mutex]("a struct without exported fields").refusing("sync.Mutex has fields, but none that is exported"),
		kindOf[Lock]("a struct that embeds one").refusing("sync.Mutex has fields, but none that is exported"),
		kindOf[fmt.Stringer]("an interface with methods").refusing("is of the interface type fmt.Stringer, which can't be decoded"),
		kindOf[Written]("a text that can't be read").refusing("of type schema_test.Written, which is written as a text by MarshalText"),
		kindOf[Read]("a text that can't be written").refusing("of type schema_test.Read, which is read from a text by UnmarshalText"),
		kindOf[Spoken]("JSON that can't be read").refusing("of type schema_test.Spoken, which is written by a MarshalJSON method"),
		kindOf[map[float64]int]("a map with keys of another kind").refusing("the type map[float64]int has keys that can't be written as JSON names"),
		kindOf[struct {
			A int `json:"a, omitempty"`
		}]("a struct with a mistake in a tag").refusing("has a blank beside the option omitempty; write json:\"a,omitempty\""),
	}
}

func (k kind) ownParts() kind {
	k.own = true
	return k
}

// A position is where a type is in a struct.
type position struct {
	name   string
	tag    string // of the field
	place  func(t reflect.Type) reflect.Type
	hold   func(field, v reflect.Value) // sets the field so that it holds the value
	refuse func(k kind) string          // what the error at boot says, or ""
	skip   func(k kind) bool
	loose  bool // whether a value comes back as another
}

func positions() []position {
	same := func(t reflect.Type) reflect.Type { return t }
	set := func(field, v reflect.Value) { field.Set(v) }
	pointer := func(field, v reflect.Value) {
		field.Set(reflect.New(v.Type()))
		field.Elem().Set(v)
	}
	items := func(field, v reflect.Value) {
		if field.Kind() == reflect.Slice {
			field.Set(reflect.MakeSlice(field.Type(), 2, 2))
		}
		for i := range field.Len() {
			if field.Index(i).Type() == v.Type() {
				field.Index(i).Set(v)
			} else if i == 0 {
				pointer(field.Index(i), v)
			}
		}
	}
	members := func(field, v reflect.Value) {
		field.Set(reflect.MakeMap(field.Type()))
		value := reflect.New(field.Type().Elem()).Elem()
		if value.Type() == v.Type() {
			value.Set(v)
		} else {
			pointer(value, v)
		}
		field.SetMapIndex(reflect.ValueOf("k"), value)
		field.SetMapIndex(reflect.ValueOf(""), reflect.Zero(field.Type().Elem()))
	}
	mapOf := func(t reflect.Type) reflect.Type { return reflect.MapOf(reflect.TypeFor[string](), t) }
	structOf := func(t reflect.Type) reflect.Type {
		return reflect.StructOf([]reflect.StructField{{Name: "V", Type: t, Tag: `json:"v"`}})
	}
	unquotable := func(k kind) string {
		if k.quotable {
			return ""
		}
		return "has the option string, which is for numbers"
	}
	return []position{
		{name: "field", tag: `json:"x"`, place: same, hold: set},
		{name: "field without a tag", place: same, hold: set},
		{name: "field with omitempty", tag: `json:"x,omitempty"`, place: same, hold: set},
		{name: "field with omitzero", tag: `json:"x,omitzero"`, place: same, hold: set},
		{name: "field with string", tag: `json:"x,string"`, place: same, hold: set, refuse: unquotable},
		{name: "field with null", tag: `json:"x" schema:"nullable"`, place: same, hold: set},
		{name: "pointer", tag: `json:"x"`, place: reflect.PointerTo, hold: pointer},
		{name: "pointer with omitempty", tag: `json:"x,omitempty"`, place: reflect.PointerTo, hold: pointer},
		{name: "pointer with string", tag: `json:"x,string"`, place: reflect.PointerTo, hold: pointer, refuse: unquotable},
		{name: "pointer to a pointer", tag: `json:"x"`, place: func(t reflect.Type) reflect.Type { return reflect.PointerTo(reflect.PointerTo(t)) },
			hold: func(field, v reflect.Value) { pointer(field, reflect.New(v.Type())); field.Elem().Elem().Set(v) }},
		{name: "pointer to a pointer with omitempty", tag: `json:"x,omitempty"`, place: func(t reflect.Type) reflect.Type { return reflect.PointerTo(reflect.PointerTo(t)) },
			hold: func(field, _ reflect.Value) { field.Set(reflect.New(field.Type().Elem())) }, loose: true},
		{name: "item", tag: `json:"x"`, place: reflect.SliceOf, hold: items, skip: func(k kind) bool { return k.of.Kind() == reflect.Uint8 && k.of.PkgPath() == "" }},
		{name: "item that may be nil", tag: `json:"x"`, place: func(t reflect.Type) reflect.Type { return reflect.SliceOf(reflect.PointerTo(t)) }, hold: items},
		{name: "item of an array", tag: `json:"x"`, place: func(t reflect.Type) reflect.Type { return reflect.ArrayOf(2, t) }, hold: items},
		{name: "item of an empty array", tag: `json:"x"`, place: func(t reflect.Type) reflect.Type { return reflect.ArrayOf(0, t) }, hold: items},
		{name: "item of an item", tag: `json:"x"`, place: func(t reflect.Type) reflect.Type { return reflect.SliceOf(reflect.SliceOf(t)) },
			hold: func(field, v reflect.Value) {
				field.Set(reflect.MakeSlice(field.Type(), 2, 2))
				items(field.Index(1), v)
			}},
		{name: "value", tag: `json:"x"`, place: mapOf, hold: members},
		{name: "value that may be nil", tag: `json:"x"`, place: func(t reflect.Type) reflect.Type { return mapOf(reflect.PointerTo(t)) }, hold: members},
		{name: "key", tag: `json:"x"`, place: func(t reflect.Type) reflect.Type { return reflect.MapOf(t, reflect.TypeFor[int]()) },
			hold: func(field, v reflect.Value) {
				field.Set(reflect.MakeMap(field.Type()))
				field.SetMapIndex(v, reflect.ValueOf(1))
				field.SetMapIndex(reflect.Zero(v.Type()), reflect.ValueOf(2))
			},
			refuse: func(k kind) string {
				if k.key {
					return ""
				}
				return "has keys"
			}, skip: func(k kind) bool { return !k.of.Comparable() }},
		{name: "nested field", tag: `json:"x"`, place: structOf, hold: func(field, v reflect.Value) { field.Field(0).Set(v) }},
		{name: "item of a nested field", tag: `json:"x"`, place: func(t reflect.Type) reflect.Type { return reflect.SliceOf(structOf(reflect.PointerTo(t))) },
			hold: func(field, v reflect.Value) {
				field.Set(reflect.MakeSlice(field.Type(), 2, 2))
				pointer(field.Index(0).Field(0), v)
			}},
	}
}

// placed returns the kinds in all positions.
func placed() (all []promise) {
	for _, position := range positions() {
		for _, k := range kinds() {
			if position.skip != nil && position.skip(k) {
				continue
			}
			fields := []reflect.StructField{
				{Name: "X", Type: position.place(k.of), Tag: reflect.StructTag(position.tag)},
				{Name: "Y", Type: reflect.TypeFor[int](), Tag: `json:"y,omitempty"`},
			}
			p := promise{name: k.name + " as " + position.name, of: reflect.StructOf(fields), own: k.own, loose: k.loose || position.loose, refused: k.refused}
			if position.refuse != nil && p.refused == "" {
				p.refused = position.refuse(k)
			}
			if position.refuse != nil && k.refused != "" {
				continue // twice wrong
			}
			for _, v := range k.values {
				value, of := reflect.New(p.of).Elem(), reflect.New(k.of).Elem()
				of.Set(reflect.ValueOf(v))
				if p.refused == "" {
					position.hold(value.Field(0), of)
				}
				value.Field(1).SetInt(3)
				p.values = append(p.values, value)
			}
			all = append(all, p)
		}
	}
	return all
}
