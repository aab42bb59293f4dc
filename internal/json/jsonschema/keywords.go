package jsonschema

import (
	"strings"

	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/decimal"
	"github.com/bowline-mcp/bowline/internal/json/jsonschema/document"
	"github.com/bowline-mcp/bowline/internal/json/jsonschema/ecma262"
	"github.com/bowline-mcp/bowline/internal/json/rawjson"
)

// general compiles the keywords that apply to values of any type.
func (c *compiler) general(l *document.Location, r *rule) {
	if value, ok := l.Keywords["type"]; ok {
		r.types = c.types(l, value)
	}
	if title, ok := codec.Unquote(l.Keywords["title"]); ok {
		r.title = title
	}
	r.byDefault = l.Keywords["default"]
	if value, ok := l.Keywords["const"]; ok {
		r.enum = newEnum("const", [][]byte{value})
	}
	if value, ok := l.Keywords["enum"]; ok {
		if value[0] != '[' {
			c.Report(l.Pointer, "enum is not a list", "write an array of values")
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
				shown = append(shown, "a certain "+strings.TrimPrefix(strings.TrimPrefix(document.KindOf(v[0]), "an "), "a "))
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

func (c *compiler) types(l *document.Location, value []byte) types {
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
			c.Report(l.Pointer, "the type "+string(v)+" does not exist", fix)
			return typeAny
		}
		if set&t != 0 {
			c.Report(l.Pointer, "the type "+string(v)+" is listed twice", "list it once")
		}
		set |= t
	}
	if set == 0 {
		c.Report(l.Pointer, "the list of types is empty", fix)
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
func (c *compiler) count(l *document.Location, keyword string) int {
	const most = 1 << 50
	value, ok := l.Keywords[keyword]
	if !ok {
		return -1
	}
	if document.KindOf(value[0]) == "a number" {
		if d := decimal.Parse(value); d.IsInteger() && d.Sign() >= 0 {
			if text, ok := d.AppendInteger(nil); ok {
				if n, ok := decimal.ParseShort(text); ok {
					return int(min(n, most))
				}
			}
			return most
		}
	}
	c.Report(l.Pointer, keyword+" is "+string(value), "write an integer that is not negative")
	return -1
}

// bound returns the value of a keyword for a number, or nil.
func (c *compiler) bound(l *document.Location, keyword string) *bound {
	value, ok := l.Keywords[keyword]
	if !ok {
		return nil
	}
	switch document.KindOf(value[0]) {
	case "a number":
		return newBound(value)
	case "a boolean":
		c.Report(l.Pointer, keyword+" is a boolean, as in older drafts", "write the limit itself: "+keyword+" is a number in 2020-12")
	default:
		c.Report(l.Pointer, keyword+" is "+document.KindOf(value[0]), "write a number")
	}
	return nil
}

// flag returns the value of a keyword for a boolean.
func (c *compiler) flag(l *document.Location, keyword string) bool {
	value, ok := l.Keywords[keyword]
	if ok && document.KindOf(value[0]) != "a boolean" {
		c.Report(l.Pointer, keyword+" is "+document.KindOf(value[0]), "write true or false")
	}
	return string(value) == "true"
}

// strings compiles the keywords for strings. It returns nil if there are none.
func (c *compiler) strings(l *document.Location) *stringRule {
	s := &stringRule{minLength: c.count(l, "minLength"), maxLength: c.count(l, "maxLength")}
	if text, ok := c.Text(l, "pattern"); ok {
		s.pattern = c.pattern(l.Pointer, text)
	}
	c.Text(l, "format")
	if s.minLength < 0 && s.maxLength < 0 && s.pattern == nil {
		return nil
	}
	return s
}

// pattern compiles a regular expression, or returns nil.
func (c *compiler) pattern(at, text string) *ecma262.Regexp {
	compiled, err := ecma262.Compile(text)
	if err == nil {
		return compiled
	}
	fix := "write it in the syntax that ECMA-262 and package regexp (RE2) share"
	for _, group := range []string{"(?=", "(?!", "(?<=", "(?<!"} {
		if strings.Contains(text, group) {
			fix = "RE2, the syntax of package regexp, has no look-around such as " + group + ": express it without, or check the value in Go"
		}
	}
	c.Report(at, "the pattern "+codec.Quote(text)+" is not valid: "+err.Error(), fix)
	return nil
}

// numbers compiles the keywords for numbers. It returns nil if there are none.
func (c *compiler) numbers(l *document.Location) *numberRule {
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
			c.Report(l.Pointer, "multipleOf is "+n.multipleOf.text, "write a number greater than 0")
			return nil
		case step.Digits() > decimal.MaxStepDigits:
			c.Report(l.Pointer, "multipleOf has more than 17 significant digits", "round it")
			return nil
		}
	}
	if n.minimum == nil && n.maximum == nil && n.exclusiveMin == nil && n.exclusiveMax == nil && n.multipleOf == nil {
		return nil
	}
	return n
}

// arrays compiles the keywords for arrays. It returns nil if there are none.
func (c *compiler) arrays(l *document.Location, s *scope) *arrayRule {
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
	for _, child := range l.Children {
		switch child.Keyword {
		case "items":
			a.items = c.rule(child.Location, s)
		case "prefixItems":
			a.prefix = append(a.prefix, c.rule(child.Location, s))
		case "contains":
			a.contains = c.rule(child.Location, s)
		}
	}
	if a.items == nil && a.prefix == nil && a.contains == nil && a.minItems < 0 && a.maxItems < 0 && !a.unique {
		return nil
	}
	return a
}

// objects compiles the keywords for objects. It returns nil if there are none.
func (c *compiler) objects(l *document.Location, r *rule, s *scope) *objectRule {
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
	for _, child := range l.Children {
		if child.Keyword == "properties" {
			rule := c.rule(child.Location, s)
			o.properties[index(child.Name)].rule = rule
		}
	}
	for _, child := range l.Children {
		switch child.Keyword {
		case "patternProperties":
			if pattern := c.pattern(l.Pointer, child.Name); pattern != nil {
				o.patterns = append(o.patterns, patternRule{pattern, c.rule(child.Location, s)})
			}
		case "additionalProperties":
			switch string(child.Location.Raw) {
			case "false":
				o.closed = true
			case "true", "{}":
				r.rest = true
			default:
				o.additional = c.rule(child.Location, s)
			}
		case "propertyNames":
			o.names = c.rule(child.Location, s)
		case "dependentSchemas":
			o.dependents = append(o.dependents, dependentRule{property: index(child.Name), rule: c.rule(child.Location, s)})
		}
	}
	for _, name := range c.names(l, "required", l.Keywords["required"]) {
		o.properties[index(name)].required = true
	}
	c.dependencies(l, o, index)
	if len(o.properties) >= manyProperties {
		o.index = indexes
	}
	if len(o.properties) == 0 && o.patterns == nil && o.additional == nil && !o.closed && o.names == nil &&
		o.minProperties < 0 && o.maxProperties < 0 && l.Keywords["properties"] == nil {
		return nil
	}
	return o
}

// dependencies compiles dependentRequired. Index returns the index of a name in the
// properties.
func (c *compiler) dependencies(l *document.Location, o *objectRule, index func(name string) int) {
	if value, ok := l.Keywords["dependentRequired"]; ok && value[0] != '{' {
		c.Report(l.Pointer, "dependentRequired is not an object", "write an object whose members are lists of names")
	}
	for name, value := range rawjson.Members(l.Keywords["dependentRequired"]) {
		d := dependentRule{property: index(name)}
		for _, name := range c.names(l, "dependentRequired", value) {
			d.required = append(d.required, index(name))
		}
		o.dependents = append(o.dependents, d)
	}
}

// names returns a list of distinct property names.
func (c *compiler) names(l *document.Location, keyword string, value []byte) []string {
	if value == nil {
		return nil
	}
	if value[0] != '[' {
		c.Report(l.Pointer, keyword+" is not a list of names", "write an array of strings")
		return nil
	}
	var names []string
	seen := map[string]bool{}
	for _, v := range rawjson.Elements(value) {
		name, ok := codec.Unquote(v)
		switch {
		case !ok:
			c.Report(l.Pointer, keyword+" lists "+document.KindOf(v[0]), "list names only")
		case seen[name]:
			c.Report(l.Pointer, keyword+" lists "+codec.Quote(name)+" twice", "list it once")
		default:
			names = append(names, name)
		}
		seen[name] = true
	}
	return names
}
