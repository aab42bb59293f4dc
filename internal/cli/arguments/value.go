package arguments

import (
	"fmt"
	"strings"

	"github.com/bowline-mcp/bowline/internal/codec"
	"github.com/bowline-mcp/bowline/internal/rawjson"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// maxReferences limits how deep references and compositions are followed.
const maxReferences = 16

// A reader converts values by the parts of a schema.
type reader struct{ root []byte }

// types is a set of the types of JSON.
type types struct{ text, number, boolean, null, array, object bool }

// add adds the type with a name of JSON Schema.
func (t *types) add(name string) {
	switch name {
	case "string":
		t.text = true
	case "number", "integer":
		t.number = true
	case "boolean":
		t.boolean = true
	case "null":
		t.null = true
	case "array":
		t.array = true
	case "object":
		t.object = true
	}
}

// String names the types for a message.
func (t types) String() string {
	var names []string
	for _, one := range []struct {
		is   bool
		name string
	}{
		{t.text, "a text"}, {t.number, "a number"}, {t.boolean, "true or false"}, {t.array, "an array in JSON"},
		{t.object, "an object in JSON"}, {t.null, "null"},
	} {
		if one.is {
			names = append(names, one.name)
		}
	}
	return strings.Join(names, " or ")
}

// has reports whether a JSON value of a kind has one of the types.
func (t types) has(kind codec.Kind) bool {
	switch kind {
	case '0':
		return t.number
	case 't', 'f':
		return t.boolean
	case 'n':
		return t.null
	case '[':
		return t.array
	case '{':
		return t.object
	default:
		return false // a string is the text itself
	}
}

// value converts the values of a pair to the type of a property.
func (r reader) value(p pair, property []byte) ([]byte, error) {
	t := r.types(property, 0)
	if t.array && (len(p.values) > 1 || !strings.HasPrefix(strings.TrimSpace(p.values[0]), "[")) && !t.text {
		return r.elements(p, property)
	}
	if len(p.values) > 1 {
		return nil, fmt.Errorf("the argument %q %w", p.name, errSeveral)
	}
	value, ok := convert(t, p.values[0])
	if !ok {
		return nil, fmt.Errorf("the argument %q must be %s, not %s", p.name, t, short(p.values[0]))
	}
	return value, nil
}

// elements converts each value of a pair to an element of an array.
func (r reader) elements(p pair, property []byte) ([]byte, error) {
	t := r.types(r.resolve(spec.Lookup(property, "items")), 0)
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
// another type than string is that value. Without any type, the text itself decides.
func convert(t types, text string) ([]byte, bool) {
	raw := codec.Value(strings.TrimSpace(text))
	if t == (types{}) {
		if raw.IsValid() {
			return raw, true
		}
		t.text = true
	}
	if raw.IsValid() && t.has(raw.Kind()) {
		return raw, true
	}
	if t.text {
		return codec.AppendQuote(nil, text), true
	}
	return nil, false
}

// types returns the types that a schema allows, as far as its own words tell. The set is
// empty if it doesn't restrict them.
func (r reader) types(schema []byte, depth int) (t types) {
	if depth > maxReferences {
		return t
	}
	schema = r.resolve(schema)
	named := spec.Lookup(schema, "type")
	if name, ok := codec.Unquote(named); ok {
		t.add(name)
		return t
	}
	for _, name := range spec.ParseArray(named) {
		text, _ := codec.Unquote(name)
		t.add(text)
	}
	if t != (types{}) {
		return t
	}
	for _, value := range append(spec.ParseArray(spec.Lookup(schema, "enum")), spec.Lookup(schema, "const")) {
		t.addKind(codec.Value(value).Kind())
	}
	for _, keyword := range []string{"anyOf", "oneOf", "allOf"} {
		for _, part := range spec.ParseArray(spec.Lookup(schema, keyword)) {
			more := r.types(part, depth+1)
			t = types{t.text || more.text, t.number || more.number, t.boolean || more.boolean, t.null || more.null, t.array || more.array, t.object || more.object}
		}
	}
	return t
}

func (t *types) addKind(kind codec.Kind) {
	switch kind {
	case '"':
		t.text = true
	case '0':
		t.number = true
	case 't', 'f':
		t.boolean = true
	case 'n':
		t.null = true
	default: // an enum has no arrays and objects that a pair could mean
	}
}

// resolve follows references within the schema.
func (r reader) resolve(schema []byte) []byte {
	for range maxReferences {
		reference, _ := codec.Unquote(spec.Lookup(schema, "$ref"))
		if !strings.HasPrefix(reference, "#/") {
			return schema
		}
		schema = rawjson.Follow(r.root, reference[1:])
	}
	return nil
}
