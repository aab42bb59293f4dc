package codec

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// Explain describes a decoding error without Go types: where the value is, what it is, and
// what it should be. The text of the underlying codec is not stable: it may differ between
// two runs of a program. The decoded value is at the JSON Pointer within.
func Explain(err error, within ...string) string {
	var semantic *json.SemanticError
	if !errors.As(err, &semantic) || semantic.GoType == nil {
		return "it is not valid JSON"
	}
	where := strings.Join(within, "") + string(semantic.JSONPointer)
	if where == "" {
		where = "it"
	}
	want, have := expected(semantic.GoType), found(semantic.JSONKind)
	if want == "a string of base64" && semantic.JSONKind == '"' {
		return where + " is not valid base64"
	}
	if semantic.JSONKind == '0' && (want == "an integer" || want == "a number") {
		return where + " must be " + want + " " + numbersOf(semantic.GoType)
	}
	if want == "" || want == have {
		return where + " is " + have + " that can't be read"
	}
	if semantic.GoType == reflect.TypeFor[time.Time]() || semantic.GoType == reflect.TypeFor[*time.Time]() {
		return where + " must be " + want
	}
	return where + " must be " + want + ", not " + have
}

// A Refusal is a JSON value that the codec didn't decode into a type.
type Refusal struct {
	Pointer string
	Type    reflect.Type // that refused the value
	Have    string       // the kind of the value, such as "a string"
	Place   Place        // the field
	OneWay  bool         // whether values of the type can be encoded only
	Err     error        // the reason that the codec or a method gives, or nil
}

// RefusalOf returns what a decoding error says about the value that was decoded into a type. It
// reports false if the error isn't about a value: the JSON is invalid, or has a name twice.
func RefusalOf(err error, into reflect.Type) (Refusal, bool) {
	var semantic *json.SemanticError
	if !errors.As(err, &semantic) || semantic.GoType == nil {
		return Refusal{}, false
	}
	refusal := Refusal{
		Pointer: string(semantic.JSONPointer), Type: semantic.GoType, Have: found(semantic.JSONKind),
		Place: At(into, string(semantic.JSONPointer)), Err: semantic.Err,
	}
	of := Elem(semantic.GoType)
	// The codec doesn't look at the value if nothing could be decoded.
	refusal.OneWay = semantic.JSONKind == 0 || Encoded(of) != OfKind && Decoded(of) == OfKind
	if refusal.Place.Own == nil && Decoded(of) != OfKind {
		refusal.Place.Own = of // the type of a key
	}
	return refusal, true
}

func found(kind Kind) string {
	switch kind {
	case 'n':
		return "null"
	case 't', 'f':
		return "a boolean"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case '{':
		return "an object"
	case '[':
		return "an array"
	default:
		return "something else"
	}
}

// numbersOf describes the range of a numeric Go type.
func numbersOf(t reflect.Type) string {
	t = Elem(t)
	switch {
	case t.Kind() == reflect.Float32, t.Kind() == reflect.Float64:
		return fmt.Sprintf("that fits a floating-point number of %d bits", t.Bits())
	case t.Kind() >= reflect.Uint && t.Kind() <= reflect.Uint64:
		return fmt.Sprintf("from 0 to %d", uint64(math.MaxUint64)>>(64-t.Bits()))
	}
	least := int64(math.MinInt64) >> (64 - t.Bits())
	return fmt.Sprintf("from %d to %d", least, -(least + 1))
}

// expected returns the kind of JSON value that a Go type decodes, or "" if the type has
// its own decoder.
func expected(t reflect.Type) string {
	t = Elem(t)
	if t == reflect.TypeFor[time.Time]() {
		return "a date and time such as 2026-01-31T09:30:00Z, with capital letters and no leap second"
	}
	if Decoded(t) != OfKind {
		return ""
	}
	switch t.Kind() {
	case reflect.Bool:
		return "a boolean"
	case reflect.String:
		return "a string"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "an integer"
	case reflect.Slice, reflect.Array:
		if IsBytes(t) {
			return "a string of base64"
		}
		return "an array"
	case reflect.Map, reflect.Struct:
		return "an object"
	default:
		return ""
	}
}

// CheckTarget returns an error if no JSON object can be decoded into v, which is a mistake of
// the program and not of the client.
func CheckTarget(v any) error {
	target := reflect.ValueOf(v)
	if target.Kind() != reflect.Pointer || target.IsNil() || !takesObjects(Elem(target.Type())) {
		return fmt.Errorf("%T is not a pointer to a struct; pass the address of one", v)
	}
	return Try(target.Type().Elem())
}

// takesObjects reports whether an object can be decoded into a type.
func takesObjects(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Struct, reflect.Map, reflect.Interface:
		return true
	}
	return Decoded(t) == AsJSON
}
