package schema

import (
	"errors"

	"github.com/bowline-mcp/bowline/internal/json/jsonschema"
)

// A Validator checks JSON against one compiled schema. It is safe for concurrent use.
// [Object.Compile] and [Compile] make one.
type Validator jsonschema.Validator

// Compile returns the validator of a raw JSON Schema 2020-12. Its error wraps one
// [*DefinitionError] for each mistake: an invalid keyword or pattern, a keyword of an
// older draft, a reference to another document, another dialect, or too many subschemas.
// Formats are annotations and are not checked.
func Compile(raw []byte) (*Validator, error) {
	validator, problems := jsonschema.Compile(raw, jsonschema.Options{})
	return (*Validator)(validator), join(problems)
}

// Validate returns the violations of the schema in data, or nil if data is valid.
// Violations are in the order of the data; missing properties of an object come last, in
// the order of their declaration. Validate returns at most 20. If data is not exactly one
// JSON value (RFC 8259, in UTF-8), it returns one violation of the rule "json".
//
// Validate reads data without decoding it and keeps no reference to it.
func (v *Validator) Validate(data []byte) []Violation {
	found := (*jsonschema.Validator)(v).Validate(data)
	if found == nil {
		return nil
	}
	violations := make([]Violation, len(found))
	for i, violation := range found {
		violations[i] = Violation(violation)
	}
	return violations
}

// Schema returns the schema as compact JSON. The caller must not change it.
func (v *Validator) Schema() []byte { return (*jsonschema.Validator)(v).Schema() }

// A Violation is one way in which a JSON text violates a schema.
type Violation struct {
	// Pointer is the JSON Pointer (RFC 6901) of the value or of the missing property. It
	// is empty for the whole text.
	Pointer string `json:"pointer"`
	// Rule is the violated JSON Schema keyword, such as "required" or "maxLength"; or
	// "json" for text that isn't JSON, "duplicate" for a repeated property, "false" for a
	// forbidden property, "depth" and "work" for the limits of the validator, "check" for
	// a Go check.
	Rule string `json:"rule"`
	// Expected describes a valid value, such as "a string of at most 10 characters". For
	// "check" it is the text of the error.
	Expected string `json:"expected"`
	// Got describes the invalid value by its kind or size, such as "an integer" or "12
	// characters". It may be empty, and never repeats a long value.
	Got string `json:"got,omitempty"`
	// Nearest is the valid name or value that is most similar to the invalid one. It is
	// empty if none is similar.
	Nearest string `json:"nearest,omitempty"`
}

// String returns a sentence for a model or a person, such as `/repeat: must be an
// integer, got a string`.
func (v Violation) String() string { return jsonschema.Violation(v).String() }

// A DefinitionError is one mistake in a schema: a contradiction, an invalid keyword, or
// an unsupported feature.
type DefinitionError struct {
	// Path is the JSON Pointer (RFC 6901) of the subschema, such as
	// "/properties/message". It is empty for the root.
	Path string
	// Problem says what is wrong.
	Problem string
	// Fix says how to correct it.
	Fix string
}

// Error returns path, problem and fix in one line.
func (e *DefinitionError) Error() string { return (*jsonschema.Problem)(e).Error() }

// join returns the mistakes as one error, or nil if there are none.
func join(problems []*jsonschema.Problem) error {
	errs := make([]error, len(problems))
	for i, problem := range problems {
		errs[i] = (*DefinitionError)(problem)
	}
	return errors.Join(errs...)
}
