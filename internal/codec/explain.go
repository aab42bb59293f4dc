package codec

import (
	goencoding "encoding"
	"errors"
	"reflect"

	"github.com/go-json-experiment/json"
)

// Explain says why a value did not decode, in words that name no Go type: where it
// is, what it is, and what it should be. The codec's own text may change between
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
	if errors.Is(err, json.ErrUnknownName) {
		return where + " has no meaning here"
	}
	want, have := expected(semantic.GoType), found(semantic.JSONKind)
	if want == "a string of base64" && semantic.JSONKind == '"' {
		return where + " is not valid base64"
	}
	if want == "" || want == have {
		return where + " is " + have + " of a form that is not taken here"
	}
	if want == "an integer" && semantic.JSONKind == '0' {
		return where + " must be an integer, and not so large"
	}
	return where + " must be " + want + ", not " + have
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

// expected is what a Go type takes, "" when only its own code knows.
func expected(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
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
