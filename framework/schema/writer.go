package schema

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/bowline-mcp/bowline/internal/codec"
	"github.com/bowline-mcp/bowline/internal/jsonschema"
	"github.com/bowline-mcp/bowline/internal/jsonschema/format"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// A writer turns definitions into JSON, and collects the checks that JSON can't express.
type writer struct {
	checks   map[string]jsonschema.Checks // by JSON Pointer
	problems []*jsonschema.Problem
}

func newWriter() *writer { return &writer{checks: map[string]jsonschema.Checks{}} }

func (w *writer) problem(at, problem, fix string) {
	w.problems = append(w.problems, &jsonschema.Problem{Path: at, Problem: problem, Fix: fix})
}

// definition appends the schema of d, whose JSON Pointer is at.
func (w *writer) definition(dst []byte, at string, d *definition, named bool) []byte {
	for _, p := range d.problems {
		w.problem(at, p.Problem, p.Fix)
	}
	w.tags(at, d)
	if d.required[fromCall] && !named {
		w.problem(at, "Required is called on something that is not a property", "call it on the property that holds it")
	}
	if d.raw != nil {
		return append(dst, d.raw...)
	}
	w.checks[at] = d.checks()
	out := objectWriter{dst: append(dst, '{')}
	w.types(&out, at, d)
	for _, name := range []string{"title", "description"} {
		out.keyword(d, name)
	}
	switch d.form() {
	case formObject:
		w.object(&out, at, d)
	case formArray:
		w.array(&out, at, d)
	case formAnyOf, formOneOf:
		w.union(&out, at, d)
	default:
		w.scalar(&out, at, d)
	}
	for _, name := range []string{"default", "examples", "deprecated", "x-mcp-header"} {
		out.keyword(d, name)
	}
	return append(out.dst, '}')
}

// types writes the type keyword. Unions and schemas that allow any value don't have one.
func (w *writer) types(out *objectWriter, at string, d *definition) {
	switch f := d.form(); f {
	case formAny, formAnyOf, formOneOf:
	default:
		if d.isNullable() {
			out.member("type", fmt.Appendf(nil, `[%q,"null"]`, string(f)))
		} else {
			out.member("type", strconv.AppendQuote(nil, string(f)))
		}
	}
}

func (w *writer) scalar(out *objectWriter, at string, d *definition) {
	if name := d.format(); !slices.Contains(format.Known(), name) {
		if known := naming.Nearest(name, format.Known()); known != "" {
			w.problem(at, "the format "+codec.Quote(name)+" is not checked", "write "+codec.Quote(known)+" if that is what is meant")
		}
	}
	for _, name := range []string{
		"format", "pattern", "minLength", "maxLength", "contentEncoding",
		"minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf",
	} {
		out.keyword(d, name)
	}
	if values, ok := d.keyword("enum"); ok {
		if d.isNullable() {
			values = append(values[:len(values)-1:len(values)-1], ",null]"...)
			if len(values) == len("[,null]") {
				values = []byte("[]")
			}
		}
		out.member("enum", values)
	}
	if value, ok := d.keyword("const"); ok {
		out.member("const", value)
		if d.isNullable() {
			w.problem(at, "a constant can't be null as well", "drop Const or Nullable")
		}
	}
}

func (w *writer) array(out *objectWriter, at string, d *definition) {
	items := d.items
	if items == nil {
		items = &definition{}
	}
	out.member("items", w.definition(nil, at+"/items", items, false))
	for _, name := range []string{"minItems", "maxItems", "uniqueItems"} {
		out.keyword(d, name)
	}
}

func (w *writer) union(out *objectWriter, at string, d *definition) {
	word := string(d.form())
	list := []byte{'['}
	for i, m := range d.members {
		if i > 0 {
			list = append(list, ',')
		}
		list = w.definition(list, at+"/"+word+"/"+strconv.Itoa(i), m, false)
	}
	if len(d.members) == 0 {
		w.problem(at, "the union has no members", "add one with String, Integer, Object or the like")
	}
	if d.isNullable() {
		if len(d.members) > 0 {
			list = append(list, ',')
		}
		list = append(list, `{"type":"null"}`...)
	}
	out.member(word, append(list, ']'))
}

func (w *writer) object(out *objectWriter, at string, d *definition) {
	required := []string{}
	list := objectWriter{dst: []byte{'{'}}
	for _, p := range d.properties {
		list.member(p.name, w.definition(nil, at+"/properties/"+escaped(p.name), p.definition, true))
		if p.definition.isRequired() { // known only after its tag is read
			required = append(required, p.name)
		}
	}
	out.member("properties", append(list.dst, '}'))
	if len(d.patterns) > 0 {
		list := objectWriter{dst: []byte{'{'}}
		for _, p := range d.patterns {
			list.member(p.name, w.definition(nil, at+"/patternProperties/"+escaped(p.name), p.definition, false))
		}
		out.member("patternProperties", append(list.dst, '}'))
	}
	for _, name := range []string{"minProperties", "maxProperties"} {
		out.keyword(d, name)
	}
	if len(required) > 0 {
		names, err := codec.Marshal(required)
		if err != nil {
			w.problem(at, fmt.Sprintf("a property name can't be written as JSON: %v", err), "use valid UTF-8")
			names = []byte("[]")
		}
		out.member("required", names)
	}
	switch {
	case d.additional != nil && d.open[fromCall]:
		w.problem(at, "Open and Additional are both called", "keep Additional to give a schema, or Open to allow anything")
	case d.additional != nil:
		out.member("additionalProperties", w.definition(nil, at+"/additionalProperties", d.additional, false))
	case !d.isOpen():
		out.member("additionalProperties", []byte("false"))
	}
}

// objectWriter appends the members of a JSON object.
type objectWriter struct {
	dst   []byte
	comma bool
}

func (m *objectWriter) member(name string, value []byte) {
	if m.comma {
		m.dst = append(m.dst, ',')
	}
	m.comma = true
	m.dst = codec.AppendQuote(m.dst, name)
	m.dst = append(m.dst, ':')
	m.dst = append(m.dst, value...)
}

// keyword appends a keyword if d has it.
func (m *objectWriter) keyword(d *definition, name string) {
	if value, ok := d.keyword(name); ok {
		m.member(name, value)
	}
}

// escaped returns a name as one reference token of a JSON Pointer.
func escaped(name string) string { return string(jsonschema.AppendPointer(nil, name)) }
