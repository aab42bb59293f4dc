package schema

import (
	"errors"
	"regexp"
	"strings"

	"github.com/bowline-mcp/bowline/internal/codec"
)

// A compiler turns the locations of a document into rules.
type compiler struct {
	*document
	built   map[string]*definition // what the builder made, by JSON Pointer
	free    *rule
	pending []func() // checks that need finished rules
	headers []HeaderBinding
	exotic  bool // keywords were met that only google/jsonschema-go knows
}

// Compile returns the validator of a schema written as JSON, in JSON Schema 2020-12. An error wraps one
// [*DefinitionError] for each mistake: a keyword that is not valid, a pattern that is not RE2, a reference that leaves
// the schema, another dialect, too many subschemas. Formats are annotations and not checked.
func Compile(raw []byte) (*Validator, error) {
	compact, err := codec.Compact(raw)
	if err != nil {
		return nil, &DefinitionError{"", "the schema is not valid JSON: " + err.Error(), "pass one JSON object"}
	}
	return compile(compact, newWriter())
}

// compile makes the validator of compact JSON, part of which may have been written by the builder.
func compile(raw []byte, w *writer) (*Validator, error) {
	c := &compiler{document: parse(raw), built: w.built, free: anything()}
	c.problems = append(w.problems, c.problems...)
	root := c.at[""]
	v := &Validator{schema: raw, free: c.free}
	if root == nil || c.tooMany || len(root.raw) == 0 {
		return nil, c.err()
	}
	v.shape = c.rule(root)
	v.root = v.shape
	endless := c.checkCycles()
	c.findHeaders(root)
	if !endless {
		for _, check := range c.pending {
			check()
		}
	}
	if c.exotic && len(c.problems) == 0 {
		v.root = c.handOver(root)
	}
	if err := c.err(); err != nil {
		return nil, err
	}
	v.headers = c.headers
	if shape := v.shape.resolve(); shape.object != nil {
		v.properties = shape.object.declared()
	}
	markDefaults(v.shape)
	return v, nil
}

func (c *compiler) err() error {
	errs := make([]error, len(c.problems))
	for i, p := range c.problems {
		errs[i] = p
	}
	return errors.Join(errs...)
}

func anything() *rule { return &rule{types: typeAny, plain: true} }

// rule compiles one location, once.
func (c *compiler) rule(l *location) *rule {
	if l.rule != nil {
		return l.rule
	}
	r := &rule{types: typeAny}
	l.rule = r // before its children, as they may refer to it
	if string(l.raw) == "false" {
		r.never = true
		return r
	}
	c.general(l, r)
	r.string = c.strings(l)
	r.number = c.numbers(l)
	r.array = c.arrays(l)
	r.object = c.objects(l)
	c.references(l, r)
	c.combine(l, r)
	if d := c.built[l.pointer]; d != nil {
		c.attach(l, r, d)
	}
	r.plain = r.enum == nil && r.allOf == nil && r.anyOf == nil && r.oneOf == nil && r.not == nil && r.when == nil &&
		r.check == nil && r.foreign == nil
	return r
}

// references compiles $ref and $dynamicRef. With nothing beside it that constrains, a reference costs nothing.
func (c *compiler) references(l *location, r *rule) {
	for _, keyword := range []string{"$ref", "$dynamicRef"} {
		ref, ok := c.text(l, keyword)
		if !ok {
			continue
		}
		if keyword == "$dynamicRef" && c.embedded {
			c.exotic = true // which anchor is meant depends on the way here
		}
		target, err := c.resolve(l, ref)
		if err != nil {
			c.problem(l.pointer, err.Error(), "copy the schema into $defs and refer to it as #/$defs/NAME")
			continue
		}
		r.allOf = append(r.allOf, c.rule(target))
	}
	if len(r.allOf) == 1 && onlyReference(l) {
		r.next, r.allOf = r.allOf[0], nil
	}
}

// onlyReference reports whether the location constrains nothing beside its reference.
func onlyReference(l *location) bool {
	for keyword := range l.keywords {
		switch keyword {
		case "$ref", "$dynamicRef", "$defs", "definitions", "$comment", "$id", "$schema", "$anchor", "$dynamicAnchor",
			"title", "description", "examples", "deprecated", "readOnly", "writeOnly":
		default:
			return false
		}
	}
	return true
}

// combine compiles the keywords that apply other schemas to the same value.
func (c *compiler) combine(l *location, r *rule) {
	var then, orElse *rule
	for _, child := range l.children {
		switch child.keyword {
		case "allOf":
			r.allOf = append(r.allOf, c.rule(child.location))
		case "anyOf":
			r.anyOf = append(r.anyOf, c.rule(child.location))
		case "oneOf":
			r.oneOf = append(r.oneOf, c.rule(child.location))
		case "not":
			r.not = c.rule(child.location)
		case "if":
			r.when = c.rule(child.location)
		case "then":
			then = c.rule(child.location)
		case "else":
			orElse = c.rule(child.location)
		case "unevaluatedItems", "unevaluatedProperties":
			c.exotic = true
			c.rule(child.location)
		case "$defs", "definitions", "contentSchema":
			c.rule(child.location)
		}
	}
	if r.when != nil {
		r.then, r.orElse = then, orElse
	}
}

// pattern compiles a regular expression.
func (c *compiler) pattern(at, text string) *regexp.Regexp {
	pattern, err := regexp.Compile(text)
	if err == nil {
		return pattern
	}
	fix := "write it in the syntax of package regexp (RE2)"
	for _, group := range []string{"(?=", "(?!", "(?<=", "(?<!"} {
		if strings.Contains(text, group) {
			fix = "RE2, the syntax of package regexp, has no look-around such as " + group + ": express it without, or in a Check"
		}
	}
	c.problem(at, "the pattern "+quoted(text)+" is not valid: "+err.Error(), fix)
	return nil
}

// checkCycles refuses rules that apply themselves to the same value, which would never end, and rules that apply others
// to the same value through too many steps. It reports whether there are any.
func (c *compiler) checkCycles() (endless bool) {
	const open = -1
	heights := map[*rule]int{}
	var height func(r *rule) int
	height = func(r *rule) int {
		if h, known := heights[r]; known {
			return h
		}
		heights[r] = open
		highest := 0
		for _, sub := range r.sameValue() {
			h := height(sub)
			if h == open {
				return open
			}
			highest = max(highest, h+1)
		}
		heights[r] = highest
		return highest
	}
	for _, l := range c.order {
		if l.rule == nil {
			continue
		}
		switch h := height(l.rule); {
		case h == open:
			c.problem("", "a reference leads back to itself without going into a property or an item", "break the cycle of $ref, allOf, anyOf and the like")
			return true
		case h > maxDepth:
			c.problem("", "references and compositions follow each other through more than 64 steps", "make the schema flatter")
			return true
		}
	}
	return false
}

// sameValue is the rules that the rule applies to the value it is given.
func (r *rule) sameValue() []*rule {
	var all []*rule
	all = append(append(append(all, r.allOf...), r.anyOf...), r.oneOf...)
	for _, one := range []*rule{r.next, r.not, r.when, r.then, r.orElse} {
		if one != nil {
			all = append(all, one)
		}
	}
	if r.object != nil {
		for _, d := range r.object.dependents {
			if d.rule != nil {
				all = append(all, d.rule)
			}
		}
	}
	return all
}
