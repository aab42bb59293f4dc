package jsonschema

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/internal/json/jsonschema/document"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// A compiler turns the locations of a document into rules.
type compiler struct {
	*document.Document
	checks  map[string]Checks
	rules   map[place]*rule
	met     []*rule // the rules, in the order of their compilation
	scopes  map[string]*scope
	free    *rule
	pending []func() // checks that need finished rules
	headers []HeaderBinding
}

// A place is a location in a scope.
type place struct {
	location *document.Location
	scope    *scope
}

// A scope resolves $dynamicRef: it maps each anchor to its location in the outermost resource
// of the dynamic path that has the anchor. It is nil if no resource has a dynamic anchor.
type scope struct{ leads map[string]*document.Location }

func newCompiler(options Options) *compiler {
	return &compiler{
		Document: document.New(options.Remotes),
		checks:   options.Checks,
		rules:    map[place]*rule{},
		scopes:   map[string]*scope{},
		free:     &rule{types: typeAny, plain: true},
	}
}

// enter returns the scope inside a resource that a reference enters from another scope.
func (c *compiler) enter(outer *scope, r *document.Resource) *scope {
	if len(r.Dynamic) == 0 {
		return outer
	}
	leads := map[string]*document.Location{}
	if outer != nil {
		leads = maps.Clone(outer.leads)
	}
	before := len(leads)
	for anchor, l := range r.Dynamic {
		if leads[anchor] == nil {
			leads[anchor] = l
		}
	}
	if len(leads) == before {
		return outer
	}
	var key strings.Builder
	for _, anchor := range slices.Sorted(maps.Keys(leads)) {
		key.WriteString(anchor + " " + leads[anchor].Pointer + "\n")
	}
	inner, known := c.scopes[key.String()]
	if !known {
		inner = &scope{leads}
		c.scopes[key.String()] = inner
	}
	return inner
}

// rule compiles a location, once for each scope.
func (c *compiler) rule(l *document.Location, s *scope) *rule {
	s = c.enter(s, l.Resource)
	if known := c.rules[place{l, s}]; known != nil {
		return known
	}
	r := &rule{types: typeAny}
	c.rules[place{l, s}] = r // before its children, which may refer to it
	c.met = append(c.met, r)
	if len(c.rules) > limits.MaxSubschemas {
		c.Report("", fmt.Sprintf("the schema has more than %d subschemas, each counted once for each way that $dynamicRef can lead", limits.MaxSubschemas), "simplify it")
		return r
	}
	if string(l.Raw) == "false" {
		r.never = true
		return r
	}
	c.general(l, r)
	r.string = c.strings(l)
	r.number = c.numbers(l)
	r.array = c.arrays(l, s)
	r.object = c.objects(l, r, s)
	c.references(l, r, s)
	c.combine(l, r, s)
	if checks, built := c.checks[l.Pointer]; built {
		c.attach(l, r, checks)
	}
	r.plain = r.enum == nil && r.allOf == nil && r.anyOf == nil && r.oneOf == nil && r.not == nil && r.when == nil &&
		r.check == nil && r.unevaluated == nil
	return r
}

// references compiles $ref and $dynamicRef. A reference without other constraining keywords
// costs nothing when data is validated.
func (c *compiler) references(l *document.Location, r *rule, s *scope) {
	for _, keyword := range []string{"$ref", "$dynamicRef"} {
		ref, ok := c.Text(l, keyword)
		if !ok {
			continue
		}
		target, err := c.Resolve(l, ref)
		if err != nil {
			c.Report(l.Pointer, err.Error(), "copy the schema into $defs and refer to it as #/$defs/NAME")
			continue
		}
		_, anchor, _ := strings.Cut(ref, "#")
		if keyword == "$dynamicRef" && target.Resource.Dynamic[anchor] == target && s != nil && s.leads[anchor] != nil {
			target = s.leads[anchor]
		}
		r.allOf = append(r.allOf, c.rule(target, s))
	}
	if len(r.allOf) == 1 && onlyReference(l) {
		r.next, r.allOf = r.allOf[0], nil
	}
}

// onlyReference reports whether the location has no constraining keywords except its
// reference.
func onlyReference(l *document.Location) bool {
	for keyword := range l.Keywords {
		switch keyword {
		case "$ref", "$dynamicRef", "$defs", "definitions", "$comment", "$id", "$schema", "$anchor", "$dynamicAnchor",
			"title", "description", "examples", "deprecated", "readOnly", "writeOnly":
		default:
			return false
		}
	}
	return true
}

// combine compiles the keywords that apply other schemas to the same value, and the
// unevaluated keywords.
func (c *compiler) combine(l *document.Location, r *rule, s *scope) {
	var then, orElse *rule
	var left unevaluatedRule
	for _, child := range l.Children {
		switch child.Keyword {
		case "allOf":
			r.allOf = append(r.allOf, c.rule(child.Location, s))
		case "anyOf":
			r.anyOf = append(r.anyOf, c.rule(child.Location, s))
		case "oneOf":
			r.oneOf = append(r.oneOf, c.rule(child.Location, s))
		case "not":
			r.not = c.rule(child.Location, s)
		case "if":
			r.when = c.rule(child.Location, s)
		case "then":
			then = c.rule(child.Location, s)
		case "else":
			orElse = c.rule(child.Location, s)
		case "unevaluatedItems":
			left.items = c.rule(child.Location, s)
		case "unevaluatedProperties":
			left.properties = c.rule(child.Location, s)
		case "$defs", "definitions", "contentSchema":
			c.rule(child.Location, s)
		}
	}
	if r.when != nil {
		r.then, r.orElse = then, orElse
	}
	if left != (unevaluatedRule{}) {
		r.unevaluated = &left
	}
}

// checkCycles refuses rules that apply themselves to the same value, which would never end,
// and rules that apply other rules to the same value through too many steps. It reports
// whether it found any.
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
	for _, r := range c.met {
		switch h := height(r); {
		case h == open:
			c.Report("", "a reference leads back to itself without going into a property or an item", "break the cycle of $ref, allOf, anyOf and the like")
			return true
		case h > limits.MaxSchemaDepth:
			c.Report("", fmt.Sprintf("references and compositions follow each other through more than %d steps", limits.MaxSchemaDepth), "make the schema flatter")
			return true
		}
	}
	return false
}

// sameValue returns the rules that r applies to the same value.
func (r *rule) sameValue() []*rule {
	all := slices.Concat(r.allOf, r.anyOf, r.oneOf)
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
