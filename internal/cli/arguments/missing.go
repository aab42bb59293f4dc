package arguments

import (
	"slices"

	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// An Argument is what a person has to know to give an argument.
type Argument struct {
	Name        string
	Description string
	Values      []string // all that it may be, if they are few
}

// Missing returns the arguments that a schema requires and that the words don't have. It
// returns none for one JSON object, which is sent as it is.
func Missing(schema []byte, words []string) (missing []Argument) {
	pairs, err := split(words)
	if err != nil || isObject(words) {
		return nil
	}
	r := reader{root: schema}
	for _, quoted := range spec.ParseArray(spec.Lookup(schema, "required")) {
		name, _ := codec.Unquote(quoted)
		if slices.ContainsFunc(pairs, func(p pair) bool { return p.name == name }) {
			continue
		}
		property := spec.Lookup(schema, "properties", name)
		description, _ := codec.Unquote(spec.Lookup(property, "description"))
		missing = append(missing, Argument{Name: name, Description: description, Values: r.values(property)})
	}
	return missing
}

// values returns the words for all values that a schema allows, or nil if it has neither an
// enum nor the type boolean.
func (r reader) values(schema []byte) (words []string) {
	if r.types(schema) == boolean {
		return []string{"true", "false"}
	}
	const maxReferences = 16
	for range maxReferences {
		for _, value := range spec.ParseArray(spec.Lookup(schema, "enum")) {
			word, isText := codec.Unquote(value)
			if !isText {
				word = string(value)
			}
			words = append(words, word)
		}
		reference, refers := codec.Unquote(spec.Lookup(schema, "$ref"))
		if words != nil || !refers {
			break
		}
		schema, _ = r.part(reference)
	}
	return words
}

// A Text is an argument that is a text, as the arguments of a prompt are.
type Text struct {
	Name        string
	Description string
	Required    bool
}

// Texts returns the schema of arguments that are all texts.
func Texts(texts []Text) []byte {
	var properties spec.Object
	var required [][]byte
	for _, text := range texts {
		properties.Set(text.Name, spec.Object{
			{Name: "type", Value: []byte(`"string"`)},
			{Name: "description", Value: codec.AppendQuote(nil, text.Description)},
		}.Append(nil))
		if text.Required {
			required = append(required, codec.AppendQuote(nil, text.Name))
		}
	}
	return spec.Object{
		{Name: "additionalProperties", Value: []byte("false")},
		{Name: "properties", Value: properties.Append(nil)},
		{Name: "required", Value: spec.AppendArray(nil, required)},
	}.Append(nil)
}
