package arguments

import (
	"strings"

	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// A types is a set of the types of JSON.
type types uint8

const (
	str types = 1 << iota
	number
	boolean
	array
	object
	null

	anything = str | number | boolean | array | object | null
)

// typeNamed returns the type with a name of JSON Schema.
func typeNamed(name string) types {
	switch name {
	case "string":
		return str
	case "number", "integer":
		return number
	case "boolean":
		return boolean
	case "array":
		return array
	case "object":
		return object
	case "null":
		return null
	}
	return 0
}

// typeOf returns the type of a JSON value.
func typeOf(value codec.Value) types {
	switch value.Kind() {
	case '"':
		return str
	case '0':
		return number
	case 't', 'f':
		return boolean
	case '[':
		return array
	case '{':
		return object
	case 'n':
		return null
	default: // the value isn't valid
		return 0
	}
}

// String names the types for a message.
func (t types) String() string {
	var names []string
	for _, one := range []struct {
		of   types
		name string
	}{
		{str, "a text"}, {number, "a number"}, {boolean, "true or false"}, {array, "an array in JSON"},
		{object, "an object in JSON"}, {null, "null"},
	} {
		if t&one.of != 0 {
			names = append(names, one.name)
		}
	}
	return strings.Join(names, " or ")
}
