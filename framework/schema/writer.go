package schema

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/jsonschema"
	"github.com/bowline-mcp/bowline/internal/json/jsonschema/format"
	"github.com/bowline-mcp/bowline/internal/json/rawjson"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// A writer turns definitions into JSON, and collects the checks that JSON can't express.
type writer struct {
	checks   map[string]jsonschema.Checks // by JSON Pointer
	problems []*jsonschema.Problem
	mistakes []codec.TagMistake // that are among the problems
	defined  []reference        // the schemas in $defs, in order
	goTypes  []reflect.Type     // that Struct was called with
	comments Comments           // of the fields of Go types
}

// A reference is a recursive type to which a schema refers.
type reference struct {
	name     string
	of       reflect.Type
	nullable bool
}

func newWriter() *writer { return &writer{checks: map[string]jsonschema.Checks{}} }

func (w *writer) problem(at, problem, fix string) {
	w.problems = append(w.problems, &jsonschema.Problem{Path: at, Problem: problem, Fix: fix})
}

// document returns the schema of d, with the schemas of recursive types.
func (w *writer) document(d *definition) []byte {
	w.comments = d.comments
	schema := w.definition(nil, "", d, false)
	if len(w.defined) == 0 {
		return schema
	}
	list := objectWriter{dst: []byte{'{'}}
	for i := 0; i < len(w.defined); i++ { // the loop may find more
		r, target := w.defined[i], &definition{}
		target.nullable[fromType] = r.nullable
		target.infer(r.of, nil)
		list.member(r.name, w.definition(nil, "/$defs/"+escaped(r.name), target, false))
	}
	out := objectWriter{schema[:len(schema)-1], true} // a raw schema has no references, and no other is empty
	out.member("$defs", append(list.dst, '}'))
	return append(out.dst, '}')
}

// definition appends the schema of d, whose JSON Pointer is at.
func (w *writer) definition(dst []byte, at string, d *definition, named bool) []byte {
	for _, p := range d.problems {
		w.problem(at, p.Problem, p.Fix)
	}
	for _, mistake := range d.mistakes {
		if !slices.Contains(w.mistakes, mistake) { // a type may be in several places
			w.mistakes = append(w.mistakes, mistake)
			w.problem(at, mistake.Problem, mistake.Fix)
		}
	}
	if d.goType != nil {
		w.goTypes = append(w.goTypes, d.goType)
	}
	w.tags(at, d)
	switch {
	case named:
	case d.required[fromCall]:
		w.problem(at, "Required is called on something that is not a property", "call it on the property that holds it")
	case d.required[fromTag]:
		w.problem(at, "the schema tag says required about something that is not a field", "drop it, or write it without items. or values.")
	}
	if d.raw != nil {
		return append(dst, d.raw...)
	}
	if outer := w.comments; d.comments != nil {
		w.comments = d.comments
		defer func() { w.comments = outer }()
	}
	d.comment(w.comments)
	w.narrows(at, d)
	w.checks[at] = d.checks()
	out := objectWriter{dst: append(dst, '{')}
	if d.refer != nil && d.counts(fromType) {
		w.reference(&out, at, d)
		return append(out.dst, '}')
	}
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

// reference writes a reference to a recursive type, and the keywords of the place that refers
// to it.
func (w *writer) reference(out *objectWriter, at string, d *definition) {
	if len(d.properties)+len(d.patterns) > 0 || d.items != nil || d.additional != nil {
		w.problem(at, "the recursive type "+d.refer.String()+" is described elsewhere, so that calls can't describe its parts here", "drop the calls, and write schema tags in the type")
	}
	out.member("$ref", codec.AppendQuote(nil, "#/$defs/"+w.refer(d.refer, d.isNullable())))
	for _, name := range []string{"title", "description", "minProperties", "maxProperties", "minItems", "maxItems", "uniqueItems", "default", "examples", "deprecated"} {
		out.keyword(d, name)
	}
}

// refer returns the name in $defs of a recursive type, which may be null as well.
func (w *writer) refer(t reflect.Type, nullable bool) string {
	taken := func(name string) bool {
		return slices.ContainsFunc(w.defined, func(r reference) bool { return r.name == name })
	}
	for _, r := range w.defined {
		if r.of == t && r.nullable == nullable {
			return r.name
		}
	}
	name := nameOf(t)
	if nullable {
		name += "OrNull"
	}
	for unique, i := name, 2; taken(name); i++ {
		name = unique + strconv.Itoa(i)
	}
	w.defined = append(w.defined, reference{name, t, nullable})
	return name
}

// nameOf returns the name of a type in the characters that all clients take.
func nameOf(t reflect.Type) string {
	const longest = 48
	name, arguments, generic := strings.Cut(t.Name(), "[")
	if generic {
		for argument := range strings.SplitSeq(strings.TrimSuffix(arguments, "]"), ",") {
			name += "_" + argument[strings.LastIndexByte(argument, '/')+1:]
		}
	}
	name = strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && (format.IsAlphanumeric(byte(r)) || r == '_' || r == '-' || r == '.') {
			return r
		}
		return '_'
	}, name)
	return name[:min(len(name), longest)]
}

// narrows reports keywords by which a tag or a call allows what the Go type can't hold.
func (w *writer) narrows(at string, d *definition) {
	if !d.counts(fromType) {
		return
	}
	for _, k := range d.keywords[fromType] {
		value, _ := d.keyword(k.name)
		if bytes.Equal(value, k.value) {
			continue
		}
		least, _ := codec.Float(k.value)
		stated, _ := codec.Float(value)
		var wider bool
		switch k.name {
		case "minimum", "minItems", "minLength":
			wider = stated < least
		case "maximum", "maxItems", "maxLength":
			wider = stated > least
		case "pattern", "format", "contentEncoding":
			wider = d.reads != ""
		}
		if wider {
			w.problem(at, k.name+" is "+string(value)+", but the Go type has "+string(k.value), "drop it, or change the type")
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
			w.problem(at, "a constant can't be null as well", "drop the constant, or don't allow null: a pointer without omitempty may be null")
		}
	}
}

func (w *writer) array(out *objectWriter, at string, d *definition) {
	items := d.items
	if items == nil {
		items = d.child()
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
	if d.keys != nil {
		out.member("propertyNames", w.definition(nil, at+"/propertyNames", d.keys, false))
	}
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
func escaped(name string) string { return string(rawjson.AppendPointer(nil, name)) }
