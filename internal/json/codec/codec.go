// Package codec encodes Go values as JSON and decodes them, for the whole module. It wraps
// go-json-experiment/json until the standard library ships encoding/json/v2. Then only this
// package has to change.
//
// Decoding is strict: member names are case-sensitive, and duplicate names and invalid UTF-8
// are errors. Encoding follows encoding/json in most details: omitempty drops zero values, a
// time.Duration is a number of nanoseconds, invalid UTF-8 becomes U+FFFD. But a nil slice or
// map is never null, and the keys of a map are sorted.
package codec

import (
	"bytes"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
)

// A Value is one raw JSON value. It is a []byte that encodes as itself.
type Value = jsontext.Value

// A Decoder reads JSON tokens and values one by one.
type Decoder = jsontext.Decoder

// A Kind is the first byte of a JSON token: one of n f t " 0 { } [ ].
type Kind = jsontext.Kind

// ErrDuplicateName is wrapped in the error for an object that repeats a member's name.
var ErrDuplicateName = jsontext.ErrDuplicateName

// NewDecoder returns a decoder over data. Values that it returns are slices of
// data, so data must not change while they are in use.
func NewDecoder(data []byte) *Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(data))
}

// Both options give struct tags their meaning in encoding/json.
var (
	decoding = json.JoinOptions( //nolint:gochecknoglobals // never changes; to join the options for each value costs 2 % of a call in process
		jsonv1.OmitEmptyWithLegacySemantics(true),
		jsonv1.FormatDurationAsNano(true),
	)
	encoding = json.JoinOptions(decoding, json.Deterministic(true), jsontext.AllowInvalidUTF8(true)) //nolint:gochecknoglobals // likewise
)

// Marshal encodes v as compact JSON.
func Marshal(v any) ([]byte, error) {
	return json.Marshal(v, encoding)
}

// MarshalRecord encodes v as encoding/json does, for records that programs keep, but for the
// characters of HTML: escaped, each would take six bytes.
func MarshalRecord(v any) ([]byte, error) {
	return json.Marshal(v, jsonv1.DefaultOptionsV1(), jsontext.EscapeForHTML(false), jsontext.EscapeForJS(false))
}

// Unmarshal decodes exactly one JSON value into v.
func Unmarshal(data []byte, v any) error {
	return json.Unmarshal(data, v, decoding)
}

// UnmarshalInstance decodes a JSON value that a schema allows into v. In JSON Schema, numbers
// such as 3.0, 1e2 and -0 are integers, which the codec itself refuses.
func UnmarshalInstance(data []byte, v any) error {
	err := Unmarshal(data, v)
	if err == nil {
		return nil
	}
	whole, found := WholeNumbers(data)
	if !found {
		return err
	}
	return Unmarshal(whole, v)
}

// Compact returns data without insignificant white space. It doesn't change the notation of
// strings and numbers. It returns an error if data is not one JSON value.
func Compact(data []byte) ([]byte, error) {
	return jsontext.AppendFormat(nil, data, jsontext.PreserveRawStrings(true), jsontext.AllowDuplicateNames(false))
}

// AppendCanonical appends data without insignificant white space and with sorted object
// members. It doesn't change the notation of numbers.
func AppendCanonical(dst, data []byte) ([]byte, error) {
	return jsontext.AppendFormat(dst, data, jsontext.ReorderRawObjects(true))
}

// Valid reports whether data is exactly one JSON value without duplicate names.
func Valid(data []byte) bool { return jsontext.Value(data).IsValid() }

// AppendQuote appends s as a JSON string. Invalid UTF-8 becomes U+FFFD.
func AppendQuote[Bytes ~[]byte | ~string](dst []byte, s Bytes) []byte {
	dst, _ = jsontext.AppendQuote(dst, s) // the error only reports invalid UTF-8
	return dst
}

// Quote returns s as a JSON string.
func Quote(s string) string { return string(AppendQuote(nil, s)) }

// AppendQuotedJSON appends compact JSON as a JSON string. Compact JSON has no control
// characters, so only quotes and backslashes need an escape.
func AppendQuotedJSON(dst, value []byte) []byte {
	dst = append(dst, '"')
	for _, c := range value {
		if c == '"' || c == '\\' {
			dst = append(dst, '\\')
		}
		dst = append(dst, c)
	}
	return append(dst, '"')
}

// Unquote returns the text of a JSON string. It reports false if data isn't one.
func Unquote(data []byte) (string, bool) {
	if len(data) < 2 || data[0] != '"' {
		return "", false
	}
	if inner := data[1 : len(data)-1]; bytes.IndexByte(inner, '\\') < 0 && data[len(data)-1] == '"' {
		return string(inner), true
	}
	text, err := jsontext.AppendUnquote(nil, data)
	return string(text), err == nil
}

// Indent encodes v as JSON with an indent of two spaces.
func Indent(v any) ([]byte, error) {
	return json.Marshal(v, encoding, jsontext.WithIndent("  "))
}
