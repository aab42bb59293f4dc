package jsonschema

import (
	"strings"

	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/jsonschema/document"
)

// A Violation is one way in which a JSON text does not fit a schema.
type Violation struct {
	Pointer  string // of the value, or of a missing property
	Rule     string // the keyword; or json, duplicate, false, depth, work or check
	Expected string
	Got      string // may be empty
	Nearest  string // may be empty
}

// String returns a message for models and people, such as `/repeat: must be an integer, got a
// string`.
func (v Violation) String() string {
	var b strings.Builder
	b.WriteString(v.place())
	b.WriteString(": ")
	switch v.Rule {
	case "required", "dependentRequired":
		what, anything := strings.CutPrefix(v.Expected, anyValue)
		if !anything {
			what = ", " + what
		}
		b.WriteString("required" + what)
	case "additionalProperties", "unevaluatedProperties":
		b.WriteString("unknown property")
	case "duplicate":
		b.WriteString("this property is given twice; give it once")
	case "propertyNames":
		b.WriteString("its name must be " + v.Expected)
	case "check":
		b.WriteString(v.Expected)
	default:
		b.WriteString("must be " + v.Expected)
	}
	if v.Got != "" {
		b.WriteString(", got " + v.Got)
	}
	if v.Nearest != "" {
		b.WriteString("; did you mean " + codec.Quote(v.Nearest) + "?")
	}
	return b.String()
}

// A Problem is one mistake in a schema.
type Problem = document.Problem

// anyValue is the expected value if the schema has no constraints.
const anyValue = "any value"

// place returns the pointer for a message, truncated if it is very long.
func (v Violation) place() string {
	const longest = 200
	switch {
	case v.Pointer == "":
		return "the value"
	case len(v.Pointer) > longest:
		return strings.ToValidUTF8(v.Pointer[:longest], "") + "…"
	}
	return v.Pointer
}
