package jsonschema

import (
	"github.com/bowline-mcp/bowline/internal/codec"
	"github.com/bowline-mcp/bowline/internal/decimal"
	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/rawjson"
)

// Coerce returns data with scalars converted to the type in the schema, if the conversion is
// exact:
//
//	"3", "3.0", 3.0  →  3       for an integer
//	"2.5"            →  2.5     for a number
//	"true", "false"  →  true, false
//	3                →  "3"     for a string
//
// It keeps all other values, which [Validator.Validate] then refuses: "abc" or "3.5" for an
// integer, 1 or "1" for a boolean, arrays and objects for scalars. It also converts values in
// nested objects and arrays, but ignores anyOf and other composition keywords. It returns
// data itself if there is nothing to convert, or if data is not valid JSON.
func (v *Validator) Coerce(data []byte) []byte {
	i := rawjson.SkipSpace(data, 0)
	if end := rawjson.ScanValue(data, i, limits.MaxSchemaDepth); end < 0 || rawjson.SkipSpace(data, end) != len(data) {
		return data
	}
	var c converter
	c.convert(v.root, data, i)
	return apply(data, c.edits)
}

// A converter collects the edits that convert scalars.
type converter struct{ edits []edit }

// convert converts the value at i of valid JSON, or the scalars in it.
func (c *converter) convert(r *rule, data []byte, i int) {
	r = r.resolve()
	switch data[i] {
	case '{':
		if r.object == nil {
			return
		}
		for p := rawjson.Enter(data, i, limits.MaxSchemaDepth); p.Next(); {
			if rule := r.object.memberRule(p.Name); rule != nil {
				c.convert(rule, data, p.Start)
			}
		}
	case '[':
		if r.array == nil {
			return
		}
		index := 0
		for p := rawjson.Enter(data, i, limits.MaxSchemaDepth); p.Next(); index++ {
			if rule := r.array.itemRule(index); rule != nil {
				c.convert(rule, data, p.Start)
			}
		}
	case 't', 'f', 'n':
	default:
		if r.types == typeAny {
			return
		}
		end := rawjson.ScanValue(data, i, 0)
		if text, ok := converted(r.types, data[i:end]); ok {
			c.edits = append(c.edits, edit{i, end, text})
		}
	}
}

// converted returns a string or a number converted to one of the types. It reports false if
// the value already has one of the types, or can't be converted.
func converted(t types, value []byte) ([]byte, bool) {
	if value[0] == '"' {
		if t&typeString != 0 {
			return nil, false
		}
		text, _ := codec.Unquote(value)
		return fromText(t, []byte(text))
	}
	if t&typeInteger != 0 && t&typeNumber == 0 {
		if _, plain, _ := rawjson.ScanNumber(value, 0); plain {
			return nil, false
		}
		if text, ok := decimal.Parse(value).AppendInteger(nil); ok {
			return text, true
		}
	}
	if t&(typeInteger|typeNumber) == 0 && t&typeString != 0 {
		return codec.AppendQuote(nil, value), true
	}
	return nil, false
}

// fromText converts the text of a string to one of the types.
func fromText(t types, text []byte) ([]byte, bool) {
	if t&typeBoolean != 0 && (string(text) == "true" || string(text) == "false") {
		return text, true
	}
	if end, _, ok := rawjson.ScanNumber(text, 0); !ok || end != len(text) {
		return nil, false
	}
	if t&typeNumber != 0 {
		return text, true
	}
	if t&typeInteger != 0 {
		return decimal.Parse(text).AppendInteger(nil)
	}
	return nil, false
}

// An edit replaces the bytes from start to end.
type edit struct {
	start, end int
	text       []byte
}

// apply applies the edits, which must be in order and must not overlap. Without edits it
// returns data itself.
func apply(data []byte, edits []edit) []byte {
	if len(edits) == 0 {
		return data
	}
	size := len(data)
	for _, e := range edits {
		size += len(e.text) - (e.end - e.start)
	}
	out, last := make([]byte, 0, size), 0
	for _, e := range edits {
		out = append(append(out, data[last:e.start]...), e.text...)
		last = e.end
	}
	return append(out, data[last:]...)
}
