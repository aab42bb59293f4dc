// Package jsonschema compiles JSON Schema 2020-12 and checks the bytes of JSON texts against it, without decoding them.
//
// [Compile] turns a schema into rules, and a walker applies them in one pass over the data. Everything about the schema
// is decided when it is compiled: which subschemas there are, where references lead ($dynamicRef too: a subschema is
// compiled once for each dynamic scope that it is reached in), and what messages call things. Numbers are compared as
// decimals, exactly.
//
// # What is refused
//
// Compile refuses, with a [Problem] that says what to do instead:
//
//   - a dialect other than 2020-12, whether by the URI of an older draft or by that of a custom metaschema, as its
//     vocabularies may change what keywords mean;
//   - a reference to another document, since nothing is ever fetched, unless [Options.Remotes] holds the document;
//   - patterns that are not RE2, the syntax of package regexp;
//   - a multipleOf of more than 17 significant digits;
//   - subschemas that apply themselves to the same value, nest more than 64 levels deep, or are more than 10 000.
//
// Formats and contents are annotations, except where [Checks] asks for a format. Depth is bounded to 64 levels, and the
// work of one validation to a multiple of the size of the data.
package jsonschema

import (
	"errors"
	"slices"

	"github.com/bowline-mcp/bowline/internal/codec"
	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/rawjson"
)

// A Validator checks JSON against one compiled schema. It is safe for use by several goroutines at once.
type Validator struct {
	schema  []byte
	root    *rule
	free    *rule
	headers []HeaderBinding
}

// Options is what [Compile] takes beside the schema.
type Options struct {
	// Checks holds what a builder knows beside the JSON, by the JSON Pointers of the subschemas that it has written.
	// These must not contradict themselves, as a schema written by hand may.
	Checks map[string]Checks
	// Remotes holds the documents that references may lead to, by URI. Nothing is ever fetched.
	Remotes map[string][]byte
}

// Checks is what Go code checks of a value once the keywords of its schema have found nothing.
type Checks struct {
	Format string // asserted, not only annotated; one of format.Known, or base64
	Fits   Width

	String  func(string) error
	Integer func(int64) error
	Number  func(float64) error
	JSON    func([]byte) error // of an array
}

// Width is the Go integer type that a number has to fit.
type Width int

// The widths.
const (
	AnyWidth Width = iota
	Signed64
	Unsigned64
)

// ErrNotObject reports that a schema allows something else than an object where only an object can arrive, as in the
// arguments of a tool (MCP 2026-07-28, Tool.inputSchema).
var ErrNotObject = errors.New(`the root of the schema must say "type":"object"`)

// Compile returns the validator of a schema written as JSON, or every mistake in it.
func Compile(raw []byte, options Options) (*Validator, []*Problem) {
	compact, err := codec.Compact(raw)
	if err != nil {
		return nil, []*Problem{{"", "the schema is not valid JSON: " + err.Error(), "pass one JSON object"}}
	}
	c := newCompiler(options)
	resource := c.load("", compact)
	if resource == nil || c.tooMany {
		return nil, c.problems
	}
	v := &Validator{schema: compact, root: c.rule(resource.root, nil), free: c.free}
	endless := c.checkCycles()
	c.findHeaders(resource.root)
	if !endless {
		for _, check := range c.pending {
			check()
		}
	}
	if len(c.problems) > 0 {
		return nil, c.problems
	}
	v.headers = c.headers
	markDefaults(v.root)
	return v, nil
}

// Validate returns the ways in which data does not fit the schema, or nil when it fits, as schema.Validator.Validate
// says. For valid data that needs no composition keyword, no map and no regular expression it allocates nothing.
func (v *Validator) Validate(data []byte) []Violation {
	w := walker{data: data, free: v.free}
	if w.whole(v.root) {
		return nil
	}
	return explain(data, v.root, v.free)
}

// WithDefaults returns data with the defaults of absent properties merged in, also in nested objects and in the items
// of arrays that are there. A nested object that is absent itself is not created, unless it has a default. Defaults
// inside allOf, anyOf and the like are left out, as it would depend on the value which of them hold. It returns data
// itself when nothing is missing, and when data is not JSON.
func (v *Validator) WithDefaults(data []byte) []byte {
	if !v.root.fills {
		return data
	}
	var f filler
	if i := rawjson.SkipSpace(data, 0); rawjson.ScanValue(data, i, limits.MaxSchemaDepth) < 0 || !f.fill(v.root, data, i) {
		return data
	}
	return apply(data, f.edits)
}

// explain walks data again and collects the violations.
func explain(data []byte, r, free *rule) []Violation {
	w := walker{data: data, free: free, collect: true}
	w.whole(r)
	return w.violations()
}

// Schema returns the schema as compact JSON. The caller must not change it.
func (v *Validator) Schema() []byte { return v.schema }

// Headers returns the properties that clients mirror into HTTP headers, in the order of declaration.
func (v *Validator) Headers() []HeaderBinding { return slices.Clone(v.headers) }

// CheckObject returns what keeps the schema from being that of a tool's arguments: [ErrNotObject] unless its root says
// "type":"object" (MCP 2026-07-28, TOOL-3), and a [*Problem] for each required name that no property has.
func (v *Validator) CheckObject() error {
	if string(rawjson.Follow(v.schema, "/type")) != `"object"` {
		return ErrNotObject
	}
	object := v.root.object
	if object == nil || !v.root.plain || object.patterns != nil || object.additional != nil || object.dependents != nil {
		return nil // the name may be described elsewhere
	}
	var problems []error
	for _, p := range object.properties {
		if p.required && p.rule == nil {
			problems = append(problems, &Problem{"", "required lists " + codec.Quote(p.name) + ", which properties lacks", "add the property, or drop the name"})
		}
	}
	return errors.Join(problems...)
}
