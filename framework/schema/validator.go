package schema

import (
	"errors"

	"github.com/bowline-mcp/bowline/internal/jsonschema"
)

// A Validator checks JSON against one compiled schema. It is safe for use by several goroutines at once.
// [Object.Compile] and [Compile] make one.
type Validator jsonschema.Validator

// Compile returns the validator of a schema written as JSON, in JSON Schema 2020-12. An error wraps one
// [*DefinitionError] for each mistake: a keyword that is not valid, a pattern that is not valid, a keyword of an older draft, a reference that leaves
// the schema, another dialect, too many subschemas. Formats are annotations and not checked.
func Compile(raw []byte) (*Validator, error) {
	validator, problems := jsonschema.Compile(raw, jsonschema.Options{})
	return (*Validator)(validator), join(problems)
}

// Validate returns the ways in which data does not fit the schema, or nil when it fits. They come in the order of the
// data, and within each object the missing properties come last, in the order of declaration. At most 20 are
// reported. Text that is not exactly one JSON value (RFC 8259, in UTF-8) has one violation, of the rule "json".
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

// A Violation is one way in which a JSON text does not fit a schema.
type Violation struct {
	// Pointer is the JSON Pointer (RFC 6901) of the value, or of where a missing one should be. It is empty for the
	// whole text.
	Pointer string `json:"pointer"`
	// Rule is the JSON Schema keyword that is broken, such as "required" or "maxLength"; or "json" for text that isn't
	// JSON, "duplicate" for a repeated property, "false" for a property that must not be there, "depth" and "work" for
	// the limits of the validator, "check" for a Go check.
	Rule string `json:"rule"`
	// Expected describes a valid value, such as "a string of at most 10 characters". For "check" it is the text of the
	// error.
	Expected string `json:"expected"`
	// Got describes the value that was there by its kind or size, such as "an integer" or "12 characters". It may be
	// empty, and never repeats a long value.
	Got string `json:"got,omitempty"`
	// Nearest is the valid name or value that is most similar to the one that was there. It is empty if none is.
	Nearest string `json:"nearest,omitempty"`
}

// String returns a sentence for a model or a person, such as `/repeat: must be an integer, got a string`.
func (v Violation) String() string { return jsonschema.Violation(v).String() }

// A DefinitionError is one mistake in a schema: a contradiction, a keyword that is not valid, or something that is not
// supported.
type DefinitionError struct {
	// Path is the JSON Pointer (RFC 6901) of the subschema, such as "/properties/message". It is empty for the root.
	Path string
	// Problem says what is wrong.
	Problem string
	// Fix says what to do about it.
	Fix string
}

// Error returns path, problem and fix in one line.
func (e *DefinitionError) Error() string { return (*jsonschema.Problem)(e).Error() }

// join returns the mistakes as one error, nil if there are none.
func join(problems []*jsonschema.Problem) error {
	errs := make([]error, len(problems))
	for i, problem := range problems {
		errs[i] = (*DefinitionError)(problem)
	}
	return errors.Join(errs...)
}
