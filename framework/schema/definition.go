package schema

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"

	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/jsonschema"
	"github.com/bowline-mcp/bowline/internal/json/jsonschema/format"
	"github.com/bowline-mcp/bowline/internal/json/rawjson"
)

// A form is the kind of value or schema that a definition describes.
type form string

const (
	formUnset   form = ""
	formAny     form = "any"
	formString  form = "string"
	formInteger form = "integer"
	formNumber  form = "number"
	formBoolean form = "boolean"
	formArray   form = "array"
	formObject  form = "object"
	formAnyOf   form = "anyOf"
	formOneOf   form = "oneOf"
	formRaw     form = "raw"
)

// A source is the origin of a keyword. A later one wins.
type source int

const (
	fromType source = iota
	fromCall
	fromTag
	sources
)

// A keyword is one member of a schema.
type keyword struct {
	name  string
	value []byte
}

// A property is a named definition of an object.
type property struct {
	name       string
	definition *definition
}

// A definition is one schema under construction. Keywords from different sources are kept
// apart until the schema is written, so that the order of the calls does not matter.
type definition struct {
	forms    [sources]form
	keywords [sources][]keyword
	required [sources]bool
	nullable [sources]bool

	properties []property
	patterns   []property
	additional *definition
	keys       *definition // of the names of the properties
	open       [sources]bool
	items      *definition
	members    []*definition
	raw        []byte
	rawByType  bool     // whether a Go type describes itself by the raw schema
	tag        string   // the schema tag of a struct field
	passed     []string // the parts of the tag of the array or map that holds this, which are about this

	goType   reflect.Type   // that Struct was called with
	within   []reflect.Type // the named types that hold this
	refer    reflect.Type   // the recursive type to which this refers
	mistakes []codec.TagMistake
	field    codec.Field // that this describes; the zero Field if it isn't one
	comments Comments    // of the fields below an object

	fits      jsonschema.Width  // of a Go number
	reads     string            // the format of the text that a Go type reads, asserted and not sent
	readsKeys string            // the same of the names of properties
	check     jsonschema.Checks // the functions of Check

	problems []jsonschema.Problem // their Path is set when the schema is written
}

// form returns the effective form: the form of the strongest source that has one.
func (d *definition) form() form {
	if d.raw != nil {
		return formRaw
	}
	for from := sources - 1; from >= 0; from-- {
		if d.forms[from] != formUnset {
			return d.forms[from]
		}
	}
	return formAny
}

// counts reports whether the keywords of a source apply. Keywords that were inferred for
// another form don't.
func (d *definition) counts(from source) bool {
	return d.forms[from] == formUnset || d.forms[from] == d.form()
}

// keyword returns the value of the strongest source that has the keyword.
func (d *definition) keyword(name string) ([]byte, bool) {
	for from := sources - 1; from >= 0; from-- {
		if !d.counts(from) {
			continue
		}
		for _, k := range d.keywords[from] {
			if k.name == name {
				return k.value, true
			}
		}
	}
	return nil, false
}

// put records the JSON of a keyword.
func (d *definition) put(from source, name string, value []byte) {
	for i, k := range d.keywords[from] {
		if k.name == name {
			d.keywords[from][i].value = value
			return
		}
	}
	d.keywords[from] = append(d.keywords[from], keyword{name, value})
}

// set records a keyword from a call of the builder.
func (d *definition) set(name string, value any) {
	encoded, err := codec.Marshal(value)
	if err != nil {
		d.problem(fmt.Sprintf("%s can't be written as JSON: %v", name, err), "pass a value that JSON has")
		return
	}
	d.put(fromCall, name, encoded)
}

// problem records a mistake for [Object.Compile].
func (d *definition) problem(problem, fix string) {
	d.problems = append(d.problems, jsonschema.Problem{Problem: problem, Fix: fix})
}

// isRequired reports whether the name belongs in the required list of the parent.
func (d *definition) isRequired() bool {
	if d.hasDefault() {
		return false
	}
	return d.required[fromTag] || d.required[fromCall] || d.required[fromType]
}

func (d *definition) hasDefault() bool {
	if d.raw != nil {
		for name := range rawjson.Members(d.raw) {
			if name == "default" {
				return true
			}
		}
		return false
	}
	_, ok := d.keyword("default")
	return ok
}

func (d *definition) isNullable() bool {
	return d.nullable[fromTag] || d.nullable[fromCall] || d.nullable[fromType] && d.counts(fromType)
}

func (d *definition) isOpen() bool {
	return d.open[fromTag] || d.open[fromCall] || d.open[fromType] && d.counts(fromType)
}

// child returns an empty definition of a part of d.
func (d *definition) child() *definition { return &definition{within: d.within} }

// property returns the definition of a property that a source declares with a form.
func (d *definition) property(name string, from source, form form) *definition {
	for _, p := range d.properties {
		if p.name == name {
			return p.definition.claim(from, form, "the property "+codec.Quote(name))
		}
	}
	child := d.child()
	if name == "" {
		child.problem("it has no name", "give it one, such as \"city\"")
	}
	d.properties = append(d.properties, property{name, child})
	return child.claim(from, form, "")
}

// claim gives the definition its form. A second claim by the same source is a mistake, and
// returns a definition that is not used, so that the first declaration stays unchanged.
func (d *definition) claim(from source, form form, what string) *definition {
	if form == formUnset {
		return d
	}
	if d.forms[from] != formUnset {
		d.problem(what+" is declared twice", "keep one of the two declarations")
		return d.child().claim(from, form, what)
	}
	d.forms[from] = form
	return d
}

// item returns the definition of the items of an array.
func (d *definition) item(from source, form form) *definition {
	if d.items == nil {
		d.items = d.child()
	}
	if d.items.forms[from] == formUnset {
		d.items.forms[from] = form
	}
	return d.items
}

// member adds one alternative to a union.
func (d *definition) member() *definition {
	child := d.child()
	d.members = append(d.members, child)
	return child
}

// format returns the format of a string, or "".
func (d *definition) format() string {
	value, _ := d.keyword("format")
	name, _ := codec.Unquote(value)
	return name
}

// checks returns the checks that JSON Schema can't express.
func (d *definition) checks() jsonschema.Checks {
	fits, reads, readsKeys := d.fits, d.reads, d.readsKeys
	if !d.counts(fromType) {
		fits, reads, readsKeys = jsonschema.AnyWidth, "", ""
	}
	switch d.form() {
	case formString:
		checks := jsonschema.Checks{String: d.check.String, Format: reads}
		if name := d.format(); reads == "" && slices.Contains(format.Known(), name) {
			checks.Format = name
		}
		return checks
	case formInteger:
		if fits == jsonschema.AnyWidth || d.check.Integer != nil {
			return jsonschema.Checks{Fits: jsonschema.Signed64, Integer: d.check.Integer}
		}
		return jsonschema.Checks{Fits: fits}
	case formNumber:
		if fits == jsonschema.AnyWidth {
			fits = jsonschema.Float64
		}
		return jsonschema.Checks{Fits: fits, Number: d.check.Number}
	case formArray:
		return jsonschema.Checks{JSON: d.check.JSON}
	case formObject:
		return jsonschema.Checks{Names: readsKeys}
	default:
		return jsonschema.Checks{}
	}
}

// setRaw replaces the schema of the definition with JSON.
func (d *definition) setRaw(json string) {
	if d.raw != nil {
		d.problem("Raw is called twice", "keep one of the two calls")
		return
	}
	compact, err := codec.Compact([]byte(json))
	switch {
	case err != nil:
		d.problem(fmt.Sprintf("the raw schema is not valid JSON: %v", err), "pass one JSON object")
		compact = []byte("{}")
	case compact[0] != '{' && !bytes.Equal(compact, []byte("true")) && !bytes.Equal(compact, []byte("false")):
		d.problem("the raw schema is not a JSON object", "pass an object such as {\"type\":\"string\"}")
		compact = []byte("{}")
	}
	d.raw = compact
}
