package schema

import "strings"

// A Violation is one way in which a JSON text does not fit a schema.
type Violation struct {
	// Pointer is the JSON Pointer (RFC 6901) of the value, or of where a missing one should be. It is empty for the
	// whole text.
	Pointer string `json:"pointer"`
	// Rule is the JSON Schema keyword that is broken, such as "required" or "maxLength"; or "json" for text that isn't
	// JSON, "duplicate" for a repeated property, "false" for a property that must not be there, "depth" and "work" for
	// the limits of the validator, "check" for a Go check.
	Rule string `json:"rule"`
	// Expected says what would be right, such as "a string of at most 10 characters". For "check" it is the text of
	// the error.
	Expected string `json:"expected"`
	// Got says what was there, by its kind or size, such as "an integer" or "12 characters". It may be empty, and never
	// repeats a long value.
	Got string `json:"got,omitempty"`
	// Nearest is the valid name or value that is most like what was there; it is empty when nothing is.
	Nearest string `json:"nearest,omitempty"`
}

// String returns a sentence for a model or a person, such as `/repeat: must be an integer, got a string`.
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
	case "additionalProperties":
		b.WriteString("unknown property")
	case "duplicate":
		b.WriteString("this property is given twice; give it once")
	case "check":
		b.WriteString(v.Expected)
	default:
		b.WriteString("must be " + v.Expected)
	}
	if v.Got != "" {
		b.WriteString(", got " + v.Got)
	}
	if v.Nearest != "" {
		b.WriteString("; did you mean " + quoted(v.Nearest) + "?")
	}
	return b.String()
}

// anyValue is what is expected where the schema says nothing.
const anyValue = "any value"

// place is the pointer, cut when it is very long.
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

// appendPointer appends a name as one reference token of a JSON Pointer.
func appendPointer[Name ~[]byte | ~string](dst []byte, name Name) []byte {
	for i := range len(name) {
		switch name[i] {
		case '~':
			dst = append(dst, "~0"...)
		case '/':
			dst = append(dst, "~1"...)
		default:
			dst = append(dst, name[i])
		}
	}
	return dst
}

func escapePointer(name string) string { return string(appendPointer(nil, name)) }
