// Package arguments converts the words of a command line into the arguments of a tool, by
// the tool's schema.
//
// The words are pairs such as count=3, or one JSON object. A pair is converted to the type
// of its property: a number, a boolean, an array or object written as JSON, or a text. An
// array may also be given as one pair for each element.
package arguments

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/rawjson"
	"github.com/bowline-mcp/bowline/internal/naming"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// Parse returns the arguments in the words, as raw JSON for a tool with a schema. A JSON
// object is returned unchanged, so that it can have everything that a server may refuse.
func Parse(schema []byte, words []string) ([]byte, error) {
	if isObject(words) {
		object := []byte(strings.TrimSpace(words[0]))
		if !codec.Valid(object) {
			return nil, fmt.Errorf("the argument %s begins as a JSON object, but isn't one: %s", short(words[0]), mistake(object))
		}
		return object, nil
	}
	pairs, err := split(words)
	if err != nil {
		return nil, err
	}
	s := reader{root: schema}
	properties := spec.ParseObject(spec.Lookup(schema, "properties"))
	var object spec.Object
	for _, pair := range pairs {
		property := properties.Get(pair.name)
		if property == nil && !isOpen(schema) {
			return nil, unknown(pair.name, properties)
		}
		value, err := s.value(pair, property)
		if err != nil {
			return nil, err
		}
		object.Set(pair.name, value)
	}
	return object.Append(nil), nil
}

// isObject reports whether the words are one JSON object.
func isObject(words []string) bool {
	return len(words) == 1 && strings.HasPrefix(strings.TrimSpace(words[0]), "{")
}

// mistake says what is wrong with a JSON object that isn't valid.
func mistake(object []byte) string {
	switch i := rawjson.Broken(bytes.ToValidUTF8(object, []byte("?"))); {
	case i < 0:
		return "a name is there twice, or a text isn't UTF-8"
	case i >= len(object):
		return "its end is missing"
	default:
		return "the mistake is at " + short(string(object[i:]))
	}
}

// A pair is a name with the values that the words give it.
type pair struct {
	name   string
	values []string
}

func split(words []string) (pairs []pair, err error) {
	for _, word := range words {
		name, value, found := strings.Cut(word, "=")
		if !found || name == "" {
			return nil, fmt.Errorf("the argument %s is neither NAME=VALUE nor the only argument, a JSON object", short(word))
		}
		i := slices.IndexFunc(pairs, func(p pair) bool { return p.name == name })
		if i < 0 {
			i, pairs = len(pairs), append(pairs, pair{name: name})
		}
		pairs[i].values = append(pairs[i].values, value)
	}
	return pairs, nil
}

// isOpen reports whether a schema says that there may be properties that it doesn't name. A
// schema that says nothing allows them too, but then a mistyped name would be lost.
func isOpen(schema []byte) bool {
	additional := spec.Lookup(schema, "additionalProperties")
	return additional != nil && string(additional) != "false" || spec.Lookup(schema, "patternProperties") != nil ||
		spec.Lookup(schema, "properties") == nil && string(additional) != "false"
}

func unknown(name string, properties spec.Object) error {
	var known []string
	for _, property := range properties {
		known = append(known, property.Name)
	}
	if len(known) == 0 {
		return fmt.Errorf("there is no argument %q: it takes none", name)
	}
	return naming.Unknown("argument", name, known)
}

// short quotes a word, cut if it is long.
func short(word string) string { return strconv.Quote(naming.Cut(word, 60)) }

// errSeveral is the error for a name that is given several times, but isn't an array.
var errSeveral = errors.New("is given several times, but isn't an array")
