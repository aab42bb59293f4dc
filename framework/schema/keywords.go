package schema

import (
	"strings"

	"github.com/bowline-mcp/bowline/internal/codec"
)

// general compiles the keywords that are not about one type.
func (c *compiler) general(l *location, r *rule) {
	if value, ok := l.keywords["type"]; ok {
		r.types = c.types(l, value)
	}
	if title, ok := codec.Unquote(l.keywords["title"]); ok {
		r.title = title
	}
	r.byDefault = l.keywords["default"]
	if value, ok := l.keywords["const"]; ok {
		r.enum = newEnum("const", [][]byte{value})
	}
	if value, ok := l.keywords["enum"]; ok {
		if value[0] != '[' {
			c.problem(l.pointer, "enum is not a list", "write an array of values")
			return
		}
		var values [][]byte
		for _, v := range elements(value) {
			values = append(values, v)
		}
		if r.enum != nil { // both: the constant stays, and the list is one more rule
			r.allOf = append(r.allOf, &rule{types: typeAny, enum: newEnum("enum", values)})
			return
		}
		r.enum = newEnum("enum", values)
	}
}

func newEnum(keyword string, values [][]byte) *enumRule {
	const most, longest = 20, 60
	e := &enumRule{keyword: keyword, strings: map[string]struct{}{}, canonical: map[string]struct{}{}}
	var shown []string
	for _, v := range values {
		e.canonical[string(appendCanonical(nil, v))] = struct{}{}
		if text, ok := codec.Unquote(v); ok {
			e.strings[text] = struct{}{}
			e.choices = append(e.choices, text)
		}
		if len(shown) < most {
			if len(v) > longest {
				shown = append(shown, "a certain "+strings.TrimPrefix(strings.TrimPrefix(kindOf(v[0]), "an "), "a "))
			} else {
				shown = append(shown, string(v))
			}
		}
	}
	e.listed = strings.Join(shown, ", ")
	if len(values) != 1 {
		e.listed = "one of " + e.listed
	}
	if len(values) > most {
		e.listed += " and others"
	}
	return e
}

func (c *compiler) types(l *location, value []byte) types {
	const fix = "use null, boolean, integer, number, string, array or object, or a list of them"
	list := [][]byte{value}
	if value[0] == '[' {
		list = nil
		for _, v := range elements(value) {
			list = append(list, v)
		}
	}
	var set types
	for _, v := range list {
		name, _ := codec.Unquote(v)
		t := typeNamed(name)
		if t == 0 {
			c.problem(l.pointer, "the type "+string(v)+" does not exist", fix)
			return typeAny
		}
		if set&t != 0 {
			c.problem(l.pointer, "the type "+string(v)+" is listed twice", "list it once")
		}
		set |= t
	}
	if set == 0 {
		c.problem(l.pointer, "the list of types is empty", fix)
		return typeAny
	}
	return set
}

func typeNamed(name string) types {
	switch name {
	case "null":
		return typeNull
	case "boolean":
		return typeBoolean
	case "integer":
		return typeInteger
	case "number":
		return typeNumber
	case "string":
		return typeString
	case "array":
		return typeArray
	case "object":
		return typeObject
	}
	return 0
}

// count returns the size that a keyword sets, or -1.
func (c *compiler) count(l *location, keyword string) int {
	const most = 1 << 50
	value, ok := l.keywords[keyword]
	if !ok {
		return -1
	}
	if kindOf(value[0]) == "a number" {
		if d := parseDecimal(value); d.isInteger() && !d.negative {
			if text, ok := d.appendInteger(nil); ok {
				if n, ok := parseShort(text); ok {
					return int(min(n, most))
				}
			}
			return most
		}
	}
	c.problem(l.pointer, keyword+" is "+string(value), "write an integer that is not negative")
	return -1
}

// bound returns the number that a keyword sets, or nil.
func (c *compiler) bound(l *location, keyword string) *bound {
	value, ok := l.keywords[keyword]
	if !ok {
		return nil
	}
	switch kindOf(value[0]) {
	case "a number":
		return newBound(value)
	case "a boolean":
		c.problem(l.pointer, keyword+" is a boolean, as in older drafts", "write the limit itself: "+keyword+" is a number in 2020-12")
	default:
		c.problem(l.pointer, keyword+" is "+kindOf(value[0]), "write a number")
	}
	return nil
}

// flag returns the boolean that a keyword sets.
func (c *compiler) flag(l *location, keyword string) bool {
	value, ok := l.keywords[keyword]
	if ok && kindOf(value[0]) != "a boolean" {
		c.problem(l.pointer, keyword+" is "+kindOf(value[0]), "write true or false")
	}
	return string(value) == "true"
}

// strings compiles the keywords about strings, or returns nil when there are none.
func (c *compiler) strings(l *location) *stringRule {
	s := &stringRule{minLength: c.count(l, "minLength"), maxLength: c.count(l, "maxLength")}
	if text, ok := c.text(l, "pattern"); ok {
		s.pattern = c.pattern(l.pointer, text)
	}
	c.text(l, "format")
	if s.minLength < 0 && s.maxLength < 0 && s.pattern == nil {
		return nil
	}
	return s
}

// numbers compiles the keywords about numbers, or returns nil when there are none.
func (c *compiler) numbers(l *location) *numberRule {
	n := &numberRule{
		minimum:      c.bound(l, "minimum"),
		maximum:      c.bound(l, "maximum"),
		exclusiveMin: c.bound(l, "exclusiveMinimum"),
		exclusiveMax: c.bound(l, "exclusiveMaximum"),
		multipleOf:   c.bound(l, "multipleOf"),
	}
	if n.multipleOf != nil {
		switch step := n.multipleOf.decimal; {
		case step.count == 0 || step.negative:
			c.problem(l.pointer, "multipleOf is "+n.multipleOf.text, "write a number greater than 0")
			return nil
		case step.count > maxStepDigits:
			c.problem(l.pointer, "multipleOf has more than 17 significant digits", "round it")
			return nil
		}
	}
	if n.minimum == nil && n.maximum == nil && n.exclusiveMin == nil && n.exclusiveMax == nil && n.multipleOf == nil {
		return nil
	}
	return n
}
