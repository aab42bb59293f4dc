package schema

import "github.com/bowline-mcp/bowline/internal/codec"

// arrays compiles the keywords about arrays, or returns nil when there are none.
func (c *compiler) arrays(l *location) *arrayRule {
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
			a.items = c.rule(child.location)
		case "prefixItems":
			a.prefix = append(a.prefix, c.rule(child.location))
		case "contains":
			a.contains = c.rule(child.location)
		}
	}
	if a.items == nil && a.prefix == nil && a.contains == nil && a.minItems < 0 && a.maxItems < 0 && !a.unique {
		return nil
	}
	return a
}

// objects compiles the keywords about objects, or returns nil when there are none.
func (c *compiler) objects(l *location) *objectRule {
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
			rule := c.rule(child.location)
			o.properties[index(child.name)].rule = rule
		}
	}
	for _, child := range l.children {
		switch child.keyword {
		case "patternProperties":
			if pattern := c.pattern(l.pointer, child.name); pattern != nil {
				o.patterns = append(o.patterns, patternRule{pattern, c.rule(child.location)})
			}
		case "additionalProperties":
			switch string(child.location.raw) {
			case "false":
				o.closed = true
			case "true", "{}":
			default:
				o.additional = c.rule(child.location)
			}
		case "propertyNames":
			o.names = c.rule(child.location)
		case "dependentSchemas":
			o.dependents = append(o.dependents, dependentRule{property: index(child.name), rule: c.rule(child.location)})
		}
	}
	for _, name := range c.names(l, "required", l.keywords["required"]) {
		o.properties[index(name)].required = true
	}
	if value, ok := l.keywords["dependentRequired"]; ok && value[0] != '{' {
		c.problem(l.pointer, "dependentRequired is not an object", "write an object whose members are lists of names")
	}
	for m := range members(l.keywords["dependentRequired"]) {
		d := dependentRule{property: index(m.name)}
		for _, name := range c.names(l, "dependentRequired", m.value) {
			d.required = append(d.required, index(name))
		}
		o.dependents = append(o.dependents, d)
	}
	if len(o.properties) >= manyProperties {
		o.index = indexes
	}
	if len(o.properties) == 0 && o.patterns == nil && o.additional == nil && !o.closed && o.names == nil &&
		o.minProperties < 0 && o.maxProperties < 0 && l.keywords["properties"] == nil {
		return nil
	}
	return o
}

// names reads a list of different property names.
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
	for _, v := range elements(value) {
		name, ok := codec.Unquote(v)
		switch {
		case !ok:
			c.problem(l.pointer, keyword+" lists "+kindOf(v[0]), "list names only")
		case seen[name]:
			c.problem(l.pointer, keyword+" lists "+quoted(name)+" twice", "list it once")
		default:
			names = append(names, name)
		}
		seen[name] = true
	}
	return names
}
