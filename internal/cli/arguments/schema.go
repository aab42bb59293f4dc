package arguments

import (
	"net/url"
	"strings"

	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/rawjson"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// A reader finds the types that the parts of a schema allow. It follows references within
// the schema, and combines the types of anyOf, oneOf and allOf.
type reader struct{ root []byte }

// types returns the types that a schema allows.
func (r reader) types(schema []byte) types {
	return r.combine(schema, ownTypes)
}

// elementTypes returns the types that a schema allows for the elements of an array.
func (r reader) elementTypes(schema []byte) types {
	return r.combine(schema, func(part []byte) types {
		items := spec.Lookup(part, "items")
		switch {
		case ownTypes(part)&array == 0:
			return 0
		case items == nil:
			return anything
		}
		return r.types(items)
	})
}

// part returns the part of the schema that a reference names, and reports whether it is there.
// References to other schemas aren't followed.
func (r reader) part(reference string) (part []byte, found bool) {
	pointer, err := url.PathUnescape(strings.TrimPrefix(reference, "#"))
	switch {
	case reference == "#":
		return r.root, true
	case err != nil || !strings.HasPrefix(reference, "#/"):
		return nil, false
	}
	part = rawjson.Follow(r.root, pointer)
	return part, part != nil
}

// combine returns the types of a schema. The function own returns those that the keywords of
// one part allow without its references and its parts. A schema that allows no type at all
// is a mistake, and then the server decides.
func (r reader) combine(schema []byte, own func(part []byte) types) types {
	c := combination{reader: r, own: own, known: map[string]types{}}
	if t := c.of(schema); t != 0 {
		return t
	}
	return anything
}

type combination struct {
	reader

	own func(part []byte) types

	// known has the types of each reference that was followed, so that references that lead
	// back, or to the same part again and again, end. It has none while they are found.
	known map[string]types
}

func (c combination) of(schema []byte) types {
	if string(schema) == "false" {
		return 0
	}
	t := c.own(schema)
	if reference, ok := codec.Unquote(spec.Lookup(schema, "$ref")); ok {
		t &= c.reference(reference)
	}
	for _, part := range spec.ParseArray(spec.Lookup(schema, "allOf")) {
		t &= c.of(part)
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		parts := spec.ParseArray(spec.Lookup(schema, keyword))
		if len(parts) == 0 {
			continue
		}
		var some types
		for _, part := range parts {
			some |= c.of(part)
		}
		t &= some
	}
	return t
}

// reference returns the types of the part that a reference names. Another schema, and a part
// that isn't there, may allow anything.
func (c combination) reference(reference string) types {
	if t, known := c.known[reference]; known {
		return t
	}
	part, found := c.part(reference)
	if !found {
		return anything
	}
	c.known[reference] = 0
	t := c.of(part)
	c.known[reference] = t
	return t
}

// ownTypes returns the types that a schema allows by its keywords type, enum and const.
func ownTypes(schema []byte) types {
	t := anything
	named := spec.Lookup(schema, "type")
	if name, ok := codec.Unquote(named); ok {
		t = typeNamed(name)
	} else if names := spec.ParseArray(named); len(names) > 0 {
		t = 0
		for _, name := range names {
			text, _ := codec.Unquote(name)
			t |= typeNamed(text)
		}
	}
	if values := spec.ParseArray(spec.Lookup(schema, "enum")); len(values) > 0 {
		var some types
		for _, value := range values {
			some |= typeOf(value)
		}
		t &= some
	}
	if value := spec.Lookup(schema, "const"); value != nil {
		t &= typeOf(value)
	}
	return t
}
