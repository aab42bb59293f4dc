package jsonschema

import (
	"slices"

	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/decimal"
	"github.com/bowline-mcp/bowline/internal/json/rawjson"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// Coercion holds the options of [Validator.Coerce].
type Coercion struct {
	// Depth is how deep the result may nest arrays and objects if they came in strings. 0
	// means as deep as [Validator.Validate] allows.
	Depth int
	// Extra are names of members that Coerce drops from the root unless the schema takes them.
	Extra []string
}

// Coerce returns data with values converted to the type in the schema, if the conversion is
// exact:
//
//	"3", "3.0", 3.0  →  3       for an integer
//	"2.5"            →  2.5     for a number
//	"true", "false"  →  true, false
//	3                →  "3"     for a string
//	"[1]", "{}"      →  [1], {} for an array or object, from a string that the codec reads
//	null, ""         →  absent  for an optional property that can't be null or a string
//
// It keeps all other values, which [Validator.Validate] then refuses: "abc" or "3.5" for an
// integer, 1 or "1" for a boolean, arrays and objects for scalars, an array for an object, JSON
// with a repeated name. It also converts values in nested objects and arrays, but ignores anyOf
// and other composition keywords. A string within a string is not converted to an array or
// object, so the work is linear. Neither is the string for an object of which a part is mirrored
// in a header: the headers were compared before.
//
// It returns data itself if there is nothing to convert, or if data is not valid JSON.
func (v *Validator) Coerce(data []byte, how Coercion) []byte {
	i := rawjson.SkipSpace(data, 0)
	if end := rawjson.ScanValue(data, i, limits.MaxSchemaDepth); end < 0 || rawjson.SkipSpace(data, end) != len(data) {
		return data
	}
	c := converter{extra: how.Extra}
	c.convert(v.root, data, i)
	out := rawjson.Apply(data, c.edits)
	if c.unquoted && how.Depth > 0 && rawjson.Nesting(out) > how.Depth {
		return data
	}
	return out
}

// A converter collects the edits that convert values.
type converter struct {
	edits    []rawjson.Edit
	extra    []string // for the root, until its members are converted
	inString bool     // whether the values come from a string
	unquoted bool     // whether an array or object came in a string
}

// convert converts the value at i of valid JSON, or the values in it.
func (c *converter) convert(r *rule, data []byte, i int) {
	r = r.resolve()
	switch data[i] {
	case '{':
		if r.object != nil {
			c.object(r.object, data, i)
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
		if text, ok := c.container(r, data[i:end]); ok {
			c.edits = append(c.edits, rawjson.Edit{Start: i, End: end, Text: text})
		} else if text, ok := converted(r.types, data[i:end]); ok {
			c.edits = append(c.edits, rawjson.Edit{Start: i, End: end, Text: text})
		}
	}
}

// object converts the members of the object at i, and drops those that count as absent.
func (c *converter) object(o *objectRule, data []byte, i int) {
	extra := c.extra
	c.extra = nil
	var kept, dropped bool
	var end int // of the last member
	for p := rawjson.Enter(data, i, limits.MaxSchemaDepth); p.Next(); end = p.End {
		name := unquoteName(p.Name)
		known := o.find(name)
		if o.absent(known, p.Value()) || known < 0 && o.closed && o.patterns == nil && slices.Contains(extra, string(name)) {
			if kept {
				c.edits = append(c.edits, rawjson.Edit{Start: end, End: p.End})
			}
			dropped = true
			continue
		}
		if dropped && !kept {
			c.edits = append(c.edits, rawjson.Edit{Start: i + 1, End: cap(data) - cap(p.Name)}) // both slices share an array
		}
		kept = true
		if r := o.memberRule(known); r != nil {
			c.convert(r, data, p.Start)
		}
	}
	if dropped && !kept {
		c.edits = append(c.edits, rawjson.Edit{Start: i + 1, End: end})
	}
}

// absent reports whether a value of a declared property only says that it isn't set.
func (o *objectRule) absent(known int, value []byte) bool {
	if known < 0 || o.properties[known].required || o.properties[known].rule == nil {
		return false
	}
	r := o.properties[known].rule.resolve()
	return value[0] == 'n' && r.types&typeNull == 0 || string(value) == `""` && r.types&typeString == 0
}

// container returns the array or object whose JSON is in a string, with its values converted.
// It reports false if the rule takes strings, or the string is something else.
func (c *converter) container(r *rule, value []byte) ([]byte, bool) {
	if value[0] != '"' || c.inString || r.mirrored || r.types&typeString != 0 {
		return nil, false
	}
	unquoted, _ := codec.Unquote(value)
	text := []byte(unquoted)
	i := rawjson.SkipSpace(text, 0)
	switch {
	case i == len(text),
		text[i] != '[' && text[i] != '{',
		text[i] == '[' && r.types&typeArray == 0,
		text[i] == '{' && r.types&typeObject == 0,
		!codec.Valid(text):
		return nil, false
	}
	c.unquoted = true
	inner := converter{inString: true}
	inner.convert(r, text, i)
	return rawjson.Apply(text, inner.edits), true
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
