package jsonschema

import (
	"strconv"
	"strings"

	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/jsonschema/format"
)

// expected returns a short description of the allowed values, for the sentence "must be …".
func (r *rule) expected() string { return r.describe(3) }

// describe describes the allowed values, with unions up to a depth.
func (r *rule) describe(depth int) string {
	r = r.resolve()
	switch {
	case r.never:
		return "absent"
	case r.enum != nil:
		return r.enum.listed
	case r.types == typeAny && depth > 0 && r.anyOf != nil:
		return describeAll(r.anyOf, depth-1)
	case r.types == typeAny && depth > 0 && r.oneOf != nil:
		return describeAll(r.oneOf, depth-1)
	case r.types == typeAny && depth > 0 && len(r.allOf) == 1:
		return r.allOf[0].describe(depth - 1)
	case r.types == typeAny && r.object != nil:
		return r.object.describe()
	case r.types == typeAny && r.array != nil:
		return r.array.describe(depth)
	case r.types == typeAny && r.string != nil:
		return r.string.describe()
	case r.types == typeAny && r.number != nil:
		return r.number.describe("a number")
	case r.types == typeAny:
		return anyValue
	}
	var parts []string
	for _, t := range []struct {
		is   types
		text string
	}{
		{typeString, r.string.describe()},
		{typeInteger, r.number.describe("an integer")},
		{typeNumber, r.number.describe("a number")},
		{typeBoolean, "a boolean"},
		{typeArray, r.array.describe(depth)},
		{typeObject, r.object.describe()},
		{typeNull, "null"},
	} {
		if t.is == typeInteger && r.types&typeNumber != 0 {
			continue // the rule allows any number
		}
		if r.types&t.is != 0 {
			parts = append(parts, t.text)
		}
	}
	return strings.Join(parts, " or ")
}

// alternatives lists the members of a union.
func alternatives(rules []*rule) string { return describeAll(rules, 2) }

func describeAll(rules []*rule, depth int) string {
	const most = 8
	var parts []string
	for i, r := range rules {
		if i == most {
			parts = append(parts, "another of "+strconv.Itoa(len(rules))+" forms")
			break
		}
		text := r.describe(depth)
		if title := r.resolve().title; title != "" {
			text += " (" + title + ")"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", or ")
}

func (s *stringRule) describe() string {
	if s == nil {
		return "a string"
	}
	text := "a string"
	if kind := format.Describe(s.format); kind != "" {
		text = kind
	}
	text += between(s.minLength, s.maxLength, "character", "characters")
	if s.pattern != nil {
		text += " that matches " + s.pattern.String()
	}
	return text
}

func (n *numberRule) describe(noun string) string {
	if n == nil {
		return noun
	}
	switch {
	case n.minimum != nil && n.maximum != nil:
		noun += " from " + n.minimum.text + " to " + n.maximum.text
	case n.minimum != nil:
		noun += " of at least " + n.minimum.text
	case n.maximum != nil:
		noun += " of at most " + n.maximum.text
	}
	if n.exclusiveMin != nil {
		noun += " greater than " + n.exclusiveMin.text
	}
	if n.exclusiveMax != nil {
		noun += " less than " + n.exclusiveMax.text
	}
	if n.multipleOf != nil {
		noun += " that is a multiple of " + n.multipleOf.text
	}
	return noun
}

func (a *arrayRule) describe(depth int) string {
	if a == nil {
		return "an array"
	}
	text := "an array" + between(a.minItems, a.maxItems, "item", "items")
	if a.contains != nil && depth > 0 {
		text += " that contains " + a.contains.describe(depth-1)
		switch {
		case a.maxContains >= 0:
			text += " " + strconv.Itoa(a.minContains) + " to " + strconv.Itoa(a.maxContains) + " times"
		case a.minContains > 1:
			text += " at least " + strconv.Itoa(a.minContains) + " times"
		}
	}
	return text
}

func (o *objectRule) describe() string {
	if o == nil {
		return "an object"
	}
	text := "an object" + between(o.minProperties, o.maxProperties, "property", "properties")
	var required []string
	for _, p := range o.properties {
		if p.required && len(required) < 8 {
			required = append(required, codec.Quote(p.name))
		}
	}
	if len(required) > 0 {
		text += " with " + strings.Join(required, ", ")
	}
	return text
}

// declared returns the names of the properties that have a schema.
func (o *objectRule) declared() []string {
	if o == nil {
		return nil
	}
	var names []string
	for _, p := range o.properties {
		if p.rule != nil {
			names = append(names, p.name)
		}
	}
	return names
}

// between describes the bounds of a size, where -1 means none.
func between(least, most int, one, many string) string {
	switch {
	case least > 0 && most == least:
		return " of exactly " + plural(most, one, many)
	case least > 0 && most >= 0:
		return " of " + strconv.Itoa(least) + " to " + plural(most, one, many)
	case least > 0:
		return " of at least " + plural(least, one, many)
	case most >= 0:
		return " of at most " + plural(most, one, many)
	}
	return ""
}
