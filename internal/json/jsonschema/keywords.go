package jsonschema

import (
	"strings"

	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/decimal"
	"github.com/bowline-mcp/bowline/internal/json/rawjson"
)

// general compiles the keywords that apply to values of any type.
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
		for _, v := range rawjson.Elements(value) {
			values = append(values, v)
		}
		if r.enum != nil { // the schema has const too, so enum becomes a separate rule
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
	if len(values) > 0 {
		e.first = values[0]
	}
	for _, v := range values {
		e.canonical[string(rawjson.AppendCanonical(nil, v))] = struct{}{}
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
		for _, v := range rawjson.Elements(value) {
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

// typeNamed returns the type with a name, or 0. The names have the order of the constants.
func typeNamed(name string) types {
	for i, known := range []string{"null", "boolean", "integer", "number", "string", "array", "object"} {
		if name == known {
			return 1 << i
		}
	}
	return 0
}

// count returns the value of a keyword for a size, or -1.
func (c *compiler) count(l *location, keyword string) int {
	const most = 1 << 50
	value, ok := l.keywords[keyword]
	if !ok {
		return -1
	}
	if kindOf(value[0]) == "a number" {
		if d := decimal.Parse(value); d.IsInteger() && d.Sign() >= 0 {
			if text, ok := d.AppendInteger(nil); ok {
				if n, ok := decimal.ParseShort(text); ok {
					return int(min(n, most))
				}
			}
			return most
		}
	}
	c.problem(l.pointer, keyword+" is "+string(value), "write an integer that is not negative")
	return -1
}

// bound returns the value of a keyword for a number, or nil.
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

// flag returns the value of a keyword for a boolean.
func (c *compiler) flag(l *location, keyword string) bool {
	value, ok := l.keywords[keyword]
	if ok && kindOf(value[0]) != "a boolean" {
		c.problem(l.pointer, keyword+" is "+kindOf(value[0]), "write true or false")
	}
	return string(value) == "true"
}

// strings compiles the keywords for strings. It returns nil if there are none.
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

// numbers compiles the keywords for numbers. It returns nil if there are none.
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
		case step.Sign() <= 0:
			c.problem(l.pointer, "multipleOf is "+n.multipleOf.text, "write a number greater than 0")
			return nil
		case step.Digits() > decimal.MaxStepDigits:
			c.problem(l.pointer, "multipleOf has more than 17 significant digits", "round it")
			return nil
		}
	}
	if n.minimum == nil && n.maximum == nil && n.exclusiveMin == nil && n.exclusiveMax == nil && n.multipleOf == nil {
		return nil
	}
	return n
}

// arrays compiles the keywords for arrays. It returns nil if there are none.
func (c *compiler) arrays(l *location, s *scope) *arrayRule {
	a := &arrayRule{
		minItems:    c.count(l, "minItems"),
		maxItems:    c.count(l, "maxItems"),
		minContains: c.count(l, "minContains"),
		maxContains: c.count(l, "maxContains"),
		unique:      c.flag(l, "uniqueItems"),
	}
	if a.minContains < 0 {
		a.minContains = 1
	}
	for _, child := range l.children {
		switch child.keyword {
		case "items":
			a.items = c.rule(child.location, s)
		case "prefixItems":
			a.prefix = append(a.prefix, c.rule(child.location, s))
		case "contains":
			a.contains = c.rule(child.location, s)
		}
	}
	if a.items == nil && a.prefix == nil && a.contains == nil && a.minItems < 0 && a.maxItems < 0 && !a.unique {
		return nil
	}
	return a
}

// objects compiles the keywords for objects. It returns nil if there are none.
func (c *compiler) objects(l *location, r *rule, s *scope) *objectRule {
	o := &objectRule{minProperties: c.count(l, "minProperties"), maxProperties: c.count(l, "maxProperties")}
	indexes := map[string]int{}
	index := func(name string) int {
		i, known := indexes[name]
		if !known {
			i = len(o.properties)
			indexes[name] = i
			o.properties = append(o.properties, propertyRule{name: name})
		}
		return i
	}
	for _, child := range l.children {
		if child.keyword == "properties" {
			rule := c.rule(child.location, s)
			o.properties[index(child.name)].rule = rule
		}
	}
	for _, child := range l.children {
		switch child.keyword {
		case "patternProperties":
			if pattern := c.pattern(l.pointer, child.name); pattern != nil {
				o.patterns = append(o.patterns, patternRule{pattern, c.rule(child.location, s)})
			}
		case "additionalProperties":
			switch string(child.location.raw) {
			case "false":
				o.closed = true
			case "true", "{}":
				r.rest = true
			default:
				o.additional = c.rule(child.location, s)
			}
		case "propertyNames":
			o.names = c.rule(child.location, s)
		case "dependentSchemas":
			o.dependents = append(o.dependents, dependentRule{property: index(child.name), rule: c.rule(child.location, s)})
		}
	}
	for _, name := range c.names(l, "required", l.keywords["required"]) {
		o.properties[index(name)].required = true
	}
	c.dependencies(l, o, index)
	if len(o.properties) >= manyProperties {
		o.index = indexes
	}
	if len(o.properties) == 0 && o.patterns == nil && o.additional == nil && !o.closed && o.names == nil &&
		o.minProperties < 0 && o.maxProperties < 0 && l.keywords["properties"] == nil {
		return nil
	}
	return o
}

// dependencies compiles dependentRequired. Index returns the index of a name in the
// properties.
func (c *compiler) dependencies(l *location, o *objectRule, index func(name string) int) {
	if value, ok := l.keywords["dependentRequired"]; ok && value[0] != '{' {
		c.problem(l.pointer, "dependentRequired is not an object", "write an object whose members are lists of names")
	}
	for name, value := range rawjson.Members(l.keywords["dependentRequired"]) {
		d := dependentRule{property: index(name)}
		for _, name := range c.names(l, "dependentRequired", value) {
			d.required = append(d.required, index(name))
		}
		o.dependents = append(o.dependents, d)
	}
}

// names returns a list of distinct property names.
func (c *compiler) names(l *location, keyword string, value []byte) []string {
	if value == nil {
		return nil
	}
	if value[0] != '[' {
		c.problem(l.pointer, keyword+" is not a list of names", "write an array of strings")
		return nil
	}
	var names []string
	seen := map[string]bool{}
	for _, v := range rawjson.Elements(value) {
		name, ok := codec.Unquote(v)
		switch {
		case !ok:
			c.problem(l.pointer, keyword+" lists "+kindOf(v[0]), "list names only")
		case seen[name]:
			c.problem(l.pointer, keyword+" lists "+codec.Quote(name)+" twice", "list it once")
		default:
			names = append(names, name)
		}
		seen[name] = true
	}
	return names
}
