package codec

import (
	goencoding "encoding"
	"reflect"
	"time"

	"github.com/go-json-experiment/json"
)

// A Form is what a type makes of itself in JSON.
type Form int

// The forms. An interface has that of its kind, since its values have their own methods, and a
// pointer to it has none.
const (
	OfKind Form = iota // the form of its kind: it has no methods for JSON
	AsText             // a string, by MarshalText, AppendText or UnmarshalText
	AsJSON             // any JSON, by MarshalJSON, UnmarshalJSON or the like
)

// Encoded returns the form in which the values of a type are encoded.
func Encoded(t reflect.Type) Form {
	switch pointer := reflect.PointerTo(t); {
	case pointer.Implements(reflect.TypeFor[json.MarshalerTo]()), pointer.Implements(reflect.TypeFor[json.Marshaler]()):
		return AsJSON
	case pointer.Implements(reflect.TypeFor[goencoding.TextAppender]()), pointer.Implements(reflect.TypeFor[goencoding.TextMarshaler]()):
		return AsText
	}
	return OfKind
}

// Decoded returns the form from which the values of a type are decoded.
func Decoded(t reflect.Type) Form {
	switch pointer := reflect.PointerTo(t); {
	case pointer.Implements(reflect.TypeFor[json.UnmarshalerFrom]()), pointer.Implements(reflect.TypeFor[json.Unmarshaler]()):
		return AsJSON
	case pointer.Implements(reflect.TypeFor[goencoding.TextUnmarshaler]()):
		return AsText
	}
	return OfKind
}

// hasOwnForm reports whether a type encodes or decodes itself.
func hasOwnForm(t reflect.Type) bool { return Encoded(t) != OfKind || Decoded(t) != OfKind }

// IsBytes reports whether the values of a type are base64: those of []byte and [N]byte, but
// not those of slices of another type of byte.
func IsBytes(t reflect.Type) bool {
	return (t.Kind() == reflect.Slice || t.Kind() == reflect.Array) && t.Elem() == reflect.TypeFor[byte]()
}

// IsQuotable reports whether the option string of a json tag applies to a type. For the types
// that encode and decode themselves it has no effect.
func IsQuotable(t reflect.Type) bool {
	t = Elem(t)
	if t == reflect.TypeFor[time.Time]() {
		return false
	}
	return isNumber(t) || Encoded(t) != OfKind && Decoded(t) != OfKind
}

func isNumber(t reflect.Type) bool {
	return t.Kind() >= reflect.Int && t.Kind() <= reflect.Float64
}

// maxPointers is the number of pointers that Elem follows. A type can be a pointer to itself.
const maxPointers = 8

// Elem returns the type to which pointers lead.
func Elem(t reflect.Type) reflect.Type {
	for range maxPointers {
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
	}
	return t
}

// indirect returns the type that an embedded field embeds by value or by a pointer.
func indirect(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer && t.Name() == "" {
		return t.Elem()
	}
	return t
}
