package arguments

import (
	"fmt"
	"strings"

	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// value converts the values of a pair to the types of a property.
func (r reader) value(p pair, property []byte) ([]byte, error) {
	t := r.types(property)
	text := p.values[0]
	switch several := len(p.values) > 1; {
	case several && (t == anything || t&array == 0):
		return nil, fmt.Errorf("the argument %q %w", p.name, errSeveral)
	case several:
		return r.elements(p, property)
	}
	value, ok := convert(t, text)
	switch {
	case ok:
		return value, nil
	case t&array == 0 || strings.HasPrefix(strings.TrimSpace(text), "["):
		return nil, fmt.Errorf("the argument %q must be %s, not %s", p.name, t, short(text))
	}
	return r.elements(p, property)
}

// elements converts each value of a pair to an element of an array.
func (r reader) elements(p pair, property []byte) ([]byte, error) {
	t := r.elementTypes(property)
	var elements [][]byte
	for _, text := range p.values {
		element, ok := convert(t, text)
		if !ok {
			return nil, fmt.Errorf("an element of the argument %q must be %s, not %s; write the array as JSON, or one pair for each element",
				p.name, t, short(text))
		}
		elements = append(elements, element)
	}
	return spec.AppendArray(nil, elements), nil
}

// convert returns a text as a JSON value of one of the types. A text that is a value of
// another type than string is that value. If there may be anything, the text itself decides.
func convert(t types, text string) ([]byte, bool) {
	raw := codec.Value(strings.TrimSpace(text))
	kind := types(0)
	if raw.IsValid() {
		kind = typeOf(raw)
	}
	switch {
	case t == anything && kind != 0, t&kind&^str != 0: // a string in quotes is the text itself, unless there may be anything
		return raw, true
	case t&str != 0:
		return codec.AppendQuote(nil, text), true
	}
	return nil, false
}
