package schema

import (
	"errors"
	"slices"
)

// A Validator checks JSON against one compiled schema. It is safe for use by several goroutines at once.
// [Object.Compile] and [Compile] make one.
type Validator struct {
	schema     []byte
	root       *rule
	shape      *rule // the root without the keywords that are handed to google/jsonschema-go
	free       *rule
	headers    []HeaderBinding
	properties []string
}

// Validate returns the ways in which data does not fit the schema, or nil when it fits. They come in the order of the
// data, and within each object the missing properties come last, in the order of declaration. At most 20 are
// reported. Text that is not exactly one JSON value (RFC 8259, in UTF-8) has one violation, of the rule "json".
//
// Validate reads data without decoding it and keeps no reference to it. For valid data that needs no composition
// keyword, no map and no regular expression it allocates nothing.
func (v *Validator) Validate(data []byte) []Violation {
	w := walker{data: data, free: v.free, work: workFor(data)}
	if w.whole(v.root) {
		return nil
	}
	return v.explain(data)
}

// explain walks data again and collects the violations.
func (v *Validator) explain(data []byte) []Violation {
	w := walker{data: data, free: v.free, work: workFor(data), collect: true}
	w.whole(v.root)
	return w.violations()
}

// Schema returns the schema as compact JSON. The caller must not change it.
func (v *Validator) Schema() []byte { return v.schema }

// Headers returns the properties that clients mirror into HTTP headers, in the order of declaration.
func (v *Validator) Headers() []HeaderBinding { return slices.Clone(v.headers) }

// Properties returns the names of the declared properties of the root, in the order of declaration.
func (v *Validator) Properties() []string { return slices.Clone(v.properties) }

// CheckObject returns what keeps the schema from being that of a tool's arguments: [ErrNotObject] unless its root says
// "type":"object" (MCP 2026-07-28, TOOL-3), and a [*DefinitionError] for each required name that no property has.
func (v *Validator) CheckObject() error {
	if string(follow(v.schema, "/type")) != `"object"` {
		return ErrNotObject
	}
	object := v.shape.object
	if object == nil || !v.shape.plain || object.patterns != nil || object.additional != nil || object.dependents != nil {
		return nil // the name may be described elsewhere
	}
	var problems []error
	for _, p := range object.properties {
		if p.required && p.rule == nil {
			problems = append(problems, &DefinitionError{"", "required lists " + quoted(p.name) + ", which properties lacks", "add the property, or drop the name"})
		}
	}
	return errors.Join(problems...)
}
