package binding

import (
	"encoding"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
)

// A ValueError reports a text that doesn't fit its field.
type ValueError struct {
	Field string // the Go field
	Name  string // from the tag
	Value string
	Want  string // description of valid texts, such as "a whole number"
	Err   error  // from the conversion
}

// Error describes the expected and the actual value. It omits the name of the Go field,
// since clients read the error.
func (e *ValueError) Error() string {
	return fmt.Sprintf("%q must be %s, not %.60q", e.Name, e.Want, e.Value)
}

// Unwrap returns the error of the conversion.
func (e *ValueError) Unwrap() error { return e.Err }

// errNotFinite is the error for numbers that JSON can't represent.
var errNotFinite = errors.New("not a finite number")

// setText sets a value. It returns a description of valid texts, or "" if the type is not
// supported.
func setText(value reflect.Value, text string) (want string, err error) {
	if value.Kind() == reflect.Pointer { // it has UnmarshalText
		if value.IsNil() {
			value.Set(reflect.New(value.Type().Elem()))
		}
		return unmarshal(value, text)
	}
	if value.Addr().Type().Implements(unmarshaler()) {
		return unmarshal(value.Addr(), text)
	}
	switch value.Kind() {
	case reflect.String:
		value.SetString(text)
		return "a text", nil
	case reflect.Bool:
		b, err := strconv.ParseBool(text)
		value.SetBool(b)
		return "true or false", err
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		bits := value.Type().Bits()
		n, err := strconv.ParseInt(text, 10, bits)
		if err == nil {
			value.SetInt(n)
		}
		least := int64(math.MinInt64) >> (64 - bits)
		return fmt.Sprintf("a whole number from %d to %d", least, -(least + 1)), err
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		bits := value.Type().Bits()
		n, err := strconv.ParseUint(text, 10, bits)
		if err == nil {
			value.SetUint(n)
		}
		return fmt.Sprintf("a whole number from 0 to %d", uint64(math.MaxUint64)>>(64-bits)), err
	case reflect.Float32, reflect.Float64:
		f, err := strconv.ParseFloat(text, value.Type().Bits())
		if err == nil && (math.IsNaN(f) || math.IsInf(f, 0)) {
			err = errNotFinite
		}
		if err == nil {
			value.SetFloat(f)
		}
		return "a number", err
	}
	return "", nil
}

func unmarshal(value reflect.Value, text string) (string, error) {
	err := value.Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(text))
	want := value.Type().Elem()
	return "a valid " + want.Name(), err
}
