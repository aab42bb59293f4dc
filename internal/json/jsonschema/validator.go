// Package jsonschema compiles JSON Schema 2020-12, the schemas of tools' arguments and
// results, and validates raw JSON against it without decoding.
//
// [Compile] turns a schema into rules, and a walker applies them in one pass over the data.
// Compile resolves all references, including $dynamicRef: it compiles a subschema once for
// each dynamic scope in which it can be reached. Numbers are compared exactly, as decimals.
//
// # Limits
//
// Compile refuses the following, with a [Problem] that says what to do instead:
//
//   - a dialect other than 2020-12: an older draft, or a custom metaschema, whose
//     vocabularies may change the meaning of keywords;
//   - a reference to another document, unless [Options.Remotes] has it: Compile fetches
//     nothing;
//   - a pattern with features that ECMA-262 or RE2, the syntax of package regexp, lacks;
//   - keywords of older drafts, such as dependencies;
//   - a multipleOf of more than 17 significant digits;
//   - subschemas that apply themselves to the same value, or nest more than 64 levels deep;
//   - more than 10 000 subschemas.
//
// Formats and contents are annotations, unless [Checks] asserts a format. Validate refuses
// data that nests more than 64 levels deep. Its work, patterns included, is limited to a
// multiple of the size of the data.
package jsonschema

import (
	"errors"
	"slices"

	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/rawjson"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// A Validator validates JSON against one compiled schema. It is safe for concurrent use.
type Validator struct {
	schema  []byte
	root    *rule
	free    *rule
	headers []HeaderBinding
}

// Options holds the options of [Compile].
type Options struct {
	// Checks holds the checks of a schema builder, by the JSON Pointers of its subschemas.
	// Compile refuses contradictions in these subschemas.
	Checks map[string]Checks
	// Remotes holds the documents to which references may lead, by URI.
	Remotes map[string][]byte
}

// Checks are checks in Go code. They run if a value violates no keyword of its schema.
type Checks struct {
	Format string // of a string, asserted and not only annotated; see format.Matches
	Names  string // the format of the names of an object's properties, asserted
	Fits   Width  // of a number; Integer and Number need it

	String  func(string) error
	Integer func(int64) error
	Number  func(float64) error
	JSON    func([]byte) error // of an array
}

// Width is the Go type that a number must fit.
type Width int

// The widths.
const (
	AnyWidth Width = iota
	Signed64
	Unsigned64
	Float32
	Float64
)

// ErrNotObject reports that the schema of a tool's arguments doesn't require an object
// (MCP 2026-07-28, Tool.inputSchema).
var ErrNotObject = errors.New(`the root of the schema must have "type":"object"`)

// Compile returns the validator of a raw schema, or all mistakes in the schema.
func Compile(raw []byte, options Options) (*Validator, []*Problem) {
	compact, err := codec.Compact(raw)
	if err != nil {
		return nil, []*Problem{{Problem: "the schema is not valid JSON: " + err.Error(), Fix: "pass one JSON object"}}
	}
	c := newCompiler(options)
	resource := c.Load("", compact)
	if resource == nil || c.TooMany {
		return nil, c.Problems
	}
	v := &Validator{schema: compact, root: c.rule(resource.Root, nil), free: c.free}
	endless := c.checkCycles()
	c.findHeaders(resource.Root)
	if !endless {
		for _, check := range c.pending {
			check()
		}
	}
	if len(c.Problems) > 0 {
		return nil, c.Problems
	}
	v.headers = c.headers
	markMirrored(v.root, c.headers)
	markDefaults(v.root)
	return v, nil
}

// Validate returns the violations of the schema in data, or nil if data is valid. See
// schema.Validator.Validate. For valid data it doesn't allocate, unless the schema needs a
// composition keyword, a map or a regular expression.
func (v *Validator) Validate(data []byte) []Violation {
	w := walker{data: data, free: v.free}
	if w.whole(v.root) {
		return nil
	}
	if w.cause.Rule == "work" {
		return w.violations() // a second walk would do all the work again
	}
	return explain(data, v.root, v.free)
}

// WithDefaults returns data with the defaults of absent properties, also in nested objects
// and in the items of arrays. It doesn't create an absent nested object, unless the object
// itself has a default. It ignores defaults inside allOf, anyOf and other composition
// keywords, since the value decides which of them apply. It returns data itself if no
// property is missing, or if data is not valid JSON.
func (v *Validator) WithDefaults(data []byte) []byte {
	if !v.root.fills {
		return data
	}
	var f filler
	if i := rawjson.SkipSpace(data, 0); rawjson.ScanValue(data, i, limits.MaxSchemaDepth) < 0 || !f.fill(v.root, data, i) {
		return data
	}
	return rawjson.Apply(data, f.edits)
}

// explain walks data and collects the violations.
func explain(data []byte, r, free *rule) []Violation {
	w := walker{data: data, free: free, collect: true}
	w.whole(r)
	return w.violations()
}

// Schema returns the schema as compact JSON. The caller must not change it.
func (v *Validator) Schema() []byte { return v.schema }

// Headers returns the properties that clients mirror into HTTP headers, in the order of
// declaration.
func (v *Validator) Headers() []HeaderBinding { return slices.Clone(v.headers) }

// CheckObject returns an error if MCP doesn't allow the schema for a tool's arguments:
// [ErrNotObject] unless its root has "type":"object" (MCP 2026-07-28, TOOL-3), or a
// [*Problem] for each required name without a property.
func (v *Validator) CheckObject() error {
	if string(rawjson.Follow(v.schema, "/type")) != `"object"` {
		return ErrNotObject
	}
	object := v.root.object
	if object == nil || !v.root.plain || object.patterns != nil || object.additional != nil || object.dependents != nil {
		return nil // another keyword may declare the name
	}
	var problems []error
	for _, p := range object.properties {
		if p.required && p.rule == nil {
			problems = append(problems, &Problem{Problem: "required lists " + codec.Quote(p.name) + ", which properties lacks", Fix: "add the property, or drop the name"})
		}
	}
	return errors.Join(problems...)
}

// Properties returns the names of the properties that the root of the schema declares. Closed
// reports whether the schema refuses all others.
func (v *Validator) Properties() (names []string, closed bool) {
	object := v.root.object
	if object == nil {
		return nil, false
	}
	for _, p := range object.properties {
		names = append(names, p.name)
	}
	return names, object.closed && object.patterns == nil
}
