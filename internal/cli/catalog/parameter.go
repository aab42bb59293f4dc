package catalog

import (
	"net/url"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/rawjson"
	"github.com/bowline-mcp/bowline/internal/naming"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// How much of a schema is read as parameters. A stranger's schema may refer to itself again and again.
const (
	maxParameters = 200
	maxNesting    = 4
	maxSteps      = 2000
)

// A parameter is a parameter of a tool or prompt, or a member of a result.
type parameter struct {
	name        string   // with the names of the objects around it, such as "lines[].sku"
	facts       []string // its type, whether it is required, and its constraints
	description string
}

func (p parameter) String() string {
	text := p.name
	if len(p.facts) > 0 {
		text += " (" + strings.Join(p.facts, ", ") + ")"
	}
	if p.description != "" {
		text += ": " + naming.Printable(strings.Join(strings.Fields(p.description), " "))
	}
	return text
}

// argumentsOf returns the arguments of the raw definition of a prompt.
func argumentsOf(prompt []byte) (all []parameter) {
	for _, raw := range spec.ParseArray(spec.Lookup(prompt, "arguments")) {
		argument := spec.ParseObject(raw)
		name, _ := codec.Unquote(argument.Get("name"))
		one := parameter{name: shown(name), description: textOf(argument, "description", "title")}
		if string(argument.Get("required")) == "true" {
			one.facts = []string{"required"}
		}
		if len(all) == maxParameters {
			return append(all, more)
		}
		all = append(all, one)
	}
	return all
}

// more stands for the parameters that are left out.
var more = parameter{name: "…", description: "there are more, which the schema in --json has"} //nolint:gochecknoglobals // never written

// parametersOf returns the members of the objects that a schema allows, and of the objects in them.
func parametersOf(schema []byte) []parameter {
	r := &reader{root: schema}
	r.members(schema, "", 0)
	if r.cut {
		r.found = append(r.found, more)
	}
	return r.found
}

// A reader reads the parameters of a schema.
type reader struct {
	root  []byte
	found []parameter
	steps int
	cut   bool // whether parameters were left out
}

// members reads the members of the objects that a schema allows.
func (r *reader) members(raw []byte, prefix string, nesting int) {
	schema := r.resolve(raw)
	required := requiredOf(schema)
	for _, property := range spec.ParseObject(schema.Get("properties")) {
		if len(r.found) == maxParameters || nesting == maxNesting || !r.step() {
			r.cut = true
			return
		}
		member := r.resolve(property.Value)
		one := parameter{name: prefix + shown(property.Name), description: textOf(member, "description", "title")}
		one.facts = append(one.facts, r.typeOf(member, 0))
		if slices.Contains(required, property.Name) {
			one.facts = append(one.facts, "required")
		}
		one.facts = append(one.facts, r.constraints(member)...)
		r.found = append(r.found, one)
		r.members(property.Value, one.name+".", nesting+1)
		if items := member.Get("items"); items != nil {
			r.members(items, one.name+"[].", nesting+1)
		}
	}
	for _, part := range alternatives(schema) {
		if !r.step() {
			r.cut = true
			return
		}
		r.members(part, prefix, nesting+1)
	}
}

// step counts a step, and reports whether there may be more.
func (r *reader) step() bool {
	r.steps++
	return r.steps < maxSteps
}

// resolve returns a schema with the members of the part of the root that it refers to.
func (r *reader) resolve(raw []byte) spec.Object {
	schema := spec.ParseObject(raw)
	for range maxNesting {
		reference, isText := codec.Unquote(schema.Get("$ref"))
		pointer, err := url.PathUnescape(strings.TrimPrefix(reference, "#"))
		if !isText || err != nil || !strings.HasPrefix(reference, "#/") || !r.step() {
			return schema
		}
		schema.Drop("$ref")
		for _, member := range spec.ParseObject(rawjson.Follow(r.root, pointer)) {
			if schema.Get(member.Name) == nil {
				schema = append(schema, member)
			}
		}
	}
	return schema
}

// alternatives returns the parts of a schema of which an instance fits one or all.
func alternatives(schema spec.Object) (parts [][]byte) {
	for _, keyword := range []string{"anyOf", "oneOf", "allOf"} {
		parts = append(parts, spec.ParseArray(schema.Get(keyword))...)
	}
	return parts
}

// typeOf returns the types that a schema allows, such as "array of string or null".
func (r *reader) typeOf(schema spec.Object, nesting int) string {
	var names []string
	add := func(name string) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	raw := schema.Get("type")
	for _, one := range append(spec.ParseArray(raw), raw) {
		name, isText := codec.Unquote(one)
		switch items := schema.Get("items"); {
		case !isText:
		case name == "array" && items != nil && nesting < maxNesting && r.step():
			add("array of " + r.typeOf(r.resolve(items), nesting+1))
		default:
			add(shown(name))
		}
	}
	if len(names) == 0 && nesting < maxNesting {
		for _, part := range alternatives(schema) {
			if !r.step() {
				break
			}
			add(r.typeOf(r.resolve(part), nesting+1))
		}
	}
	if len(names) == 0 {
		return "any type"
	}
	return strings.Join(names, " or ")
}

// constraints returns the keywords of a schema that say which values of its type it allows, and
// those of the elements of an array.
func (r *reader) constraints(schema spec.Object) (all []string) {
	for _, keyword := range schema {
		if isStructure(keyword.Name) {
			continue
		}
		all = append(all, constraint(keyword))
	}
	for _, keyword := range r.resolve(schema.Get("items")) {
		if !isStructure(keyword.Name) {
			all = append(all, "each "+constraint(keyword))
		}
	}
	return all
}

// constraint returns a keyword of a schema with its value.
func constraint(keyword spec.Member) string {
	if keyword.Name != "enum" {
		return shown(keyword.Name) + " " + value(keyword.Value)
	}
	var values []string
	for _, one := range spec.ParseArray(keyword.Value) {
		values = append(values, value(one))
	}
	return "one of " + naming.Cut(strings.Join(values, ", "), 500)
}

// isStructure reports whether a keyword of a schema says what a value is or means, or has schemas.
func isStructure(keyword string) bool {
	switch keyword {
	case "type", "title", "description", "required", "properties", "patternProperties", "additionalProperties", "propertyNames",
		"items", "prefixItems", "contains", "anyOf", "oneOf", "allOf", "not", "if", "then", "else", "dependentSchemas", "dependentRequired",
		"unevaluatedProperties", "unevaluatedItems", "$ref", "$defs", "definitions", "$schema", "$id", "$anchor", "$comment":
		return true
	}
	return false
}

// requiredOf returns the names of the members that a schema requires.
func requiredOf(schema spec.Object) (names []string) {
	for _, raw := range spec.ParseArray(schema.Get("required")) {
		name, _ := codec.Unquote(raw)
		names = append(names, name)
	}
	return names
}

// textOf returns the first of some members that is a text.
func textOf(object spec.Object, members ...string) string {
	for _, member := range members {
		if text, _ := codec.Unquote(object.Get(member)); text != "" {
			return text
		}
	}
	return ""
}

// value returns a raw value as it is.
func value(raw []byte) string { return shown(string(raw)) }
