package codec

import (
	goencoding "encoding"
	"errors"
	"fmt"
	"math"
	"reflect"
	"time"

	"github.com/go-json-experiment/json"
)

// Explain describes a decoding error without Go types: where the value is, what it is, and
// what it should be. The text of the underlying codec is not stable: it may differ between
// two runs of a program.
func Explain(err error) string {
	var semantic *json.SemanticError
	if !errors.As(err, &semantic) || semantic.GoType == nil {
		return "it is not valid JSON"
	}
	where := string(semantic.JSONPointer)
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
		return where + " is " + have + " that can't be read, although the schema allows it; send it in another form"
	}
	if semantic.GoType == reflect.TypeFor[time.Time]() || semantic.GoType == reflect.TypeFor[*time.Time]() {
		return where + " must be " + want
	}
	return where + " must be " + want + ", not " + have
}

// A Misfit is a JSON value whose kind doesn't fit its Go type.
type Misfit struct {
	Pointer string
	Type    reflect.Type
	Have    string // the kind of the value, such as "a string"
	Sample  string // a JSON value that fits the type, or ""
}

// MisfitOf returns the misfit that a decoding error reports. It reports false if the error
// has another cause, or if the type has its own decoder.
func MisfitOf(err error) (Misfit, bool) {
	var semantic *json.SemanticError
	if !errors.As(err, &semantic) || semantic.GoType == nil {
		return Misfit{}, false
	}
	want, have := expected(semantic.GoType), found(semantic.JSONKind)
	misfit := Misfit{Pointer: string(semantic.JSONPointer), Type: semantic.GoType, Have: have, Sample: sampleOf(want)}
	if misfit.Sample == "" {
		return misfit, semantic.GoType.Kind() == reflect.Interface && semantic.GoType.NumMethod() > 0
	}
	return misfit, found(Kind(misfit.Sample[0])) != have
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
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t.Kind() == reflect.Float32, t.Kind() == reflect.Float64:
		return fmt.Sprintf("that fits a floating-point number of %d bits", t.Bits())
	case t.Kind() >= reflect.Uint && t.Kind() <= reflect.Uint64:
		return fmt.Sprintf("from 0 to %d", uint64(math.MaxUint64)>>(64-t.Bits()))
	}
	least := int64(math.MinInt64) >> (64 - t.Bits())
	return fmt.Sprintf("from %d to %d", least, -(least + 1))
}

// sampleOf returns a value of a kind that expected returns.
func sampleOf(kind string) string {
	switch kind {
	case "a boolean":
		return "false"
	case "a string", "a string of base64":
		return `""`
	case "a number", "an integer":
		return "0"
	case "an array":
		return "[]"
	case "an object":
		return "{}"
	}
	return ""
}

// expected returns the kind of JSON value that a Go type decodes, or "" if the type has
// its own decoder.
func expected(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == reflect.TypeFor[time.Time]() {
		return "a date and time such as 2026-01-31T09:30:00Z, with capital letters and no leap second"
	}
	if pointer := reflect.PointerTo(t); pointer.Implements(reflect.TypeFor[goencoding.TextUnmarshaler]()) ||
		pointer.Implements(reflect.TypeFor[json.Unmarshaler]()) {
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
		if t.Elem().Kind() == reflect.Uint8 {
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
	t := reflect.TypeOf(v)
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if target.Kind() == reflect.Pointer && !target.IsNil() && takesObjects(t) {
		return nil
	}
	return fmt.Errorf("%T is not a pointer to a struct; pass the address of one", v)
}

// takesObjects reports whether an object can be decoded into a type.
func takesObjects(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Struct, reflect.Map, reflect.Interface:
		return true
	}
	for _, own := range []string{"UnmarshalJSON", "UnmarshalJSONFrom"} {
		if _, ok := reflect.PointerTo(t).MethodByName(own); ok {
			return true
		}
	}
	return false
}
