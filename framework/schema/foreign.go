package schema

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/bowline-mcp/bowline/internal/codec"
)

// A foreignRule is a whole schema with keywords that rules lack, checked by google/jsonschema-go.
type foreignRule struct {
	schema *jsonschema.Resolved
	size   int // how many subschemas one value may meet
}

// maxForeignWork bounds the values of a text times the subschemas that each may meet.
const maxForeignWork = 2_000_000

// handOver returns the rule of a schema that needs google/jsonschema-go. Where the keywords that are missing here can
// only refuse more, the compiled rule runs first: its messages are better, and it has the checks of the builder.
func (c *compiler) handOver(root *location) *rule {
	size, err := c.unfold(root, map[*location]int{})
	if err != nil {
		c.problem("", err.Error(), "drop unevaluatedProperties, unevaluatedItems or embedded $id, or the recursion")
		return nil
	}
	parsed := new(jsonschema.Schema)
	if err := parsed.UnmarshalJSON(c.root); err != nil {
		c.problem("", "the schema is not valid: "+err.Error(), "correct it")
		return nil
	}
	resolved, err := parsed.Resolve(&jsonschema.ResolveOptions{BaseURI: "https://schema.invalid/"})
	if err != nil {
		c.problem("", "the schema is not valid: "+err.Error(), "correct it")
		return nil
	}
	r := &rule{types: typeAny, foreign: &foreignRule{resolved, size}}
	switch {
	case !c.embedded && !c.isInverted(root, false, map[inversion]bool{}):
		r.allOf = []*rule{c.rule(root)}
	case len(c.built) > 0:
		c.problem("", "unevaluatedProperties or unevaluatedItems stands under not, if, oneOf or contains beside built schemas",
			"write the whole schema with Raw")
	}
	return r
}

// unfold counts the subschemas below a location with every reference replaced by what it refers to. There is no such
// number when references are recursive, and then no bound for the work.
func (c *compiler) unfold(l *location, known map[*location]int) (int, error) {
	const open = -1
	size, visited := known[l]
	if size == open {
		return 0, errors.New("a recursive schema can't be bounded together with unevaluatedProperties, unevaluatedItems or embedded $id")
	}
	if visited {
		return size, nil
	}
	known[l] = open
	size = 1
	for _, next := range c.following(l) {
		n, err := c.unfold(next, known)
		if err != nil {
			return 0, err
		}
		if size += n; size > maxSubschemas {
			return 0, errors.New("the schema has more than 10000 subschemas once references are followed")
		}
	}
	known[l] = size
	return size, nil
}

// following is the locations that may be applied when a location is: those below it, and those it refers to.
func (c *compiler) following(l *location) []*location {
	var all []*location
	for _, child := range l.children {
		switch child.keyword {
		case "$defs", "definitions", "contentSchema":
		default:
			all = append(all, child.location)
		}
	}
	if ref, ok := codec.Unquote(l.keywords["$ref"]); ok {
		if target, err := c.resolve(l, ref); err == nil {
			all = append(all, target)
		}
	}
	if ref, ok := codec.Unquote(l.keywords["$dynamicRef"]); ok {
		if target, err := c.resolve(l, ref); err == nil {
			all = append(all, target)
		}
		_, anchor, _ := strings.Cut(ref, "#")
		for _, other := range c.order {
			if name, ok := codec.Unquote(other.keywords["$dynamicAnchor"]); ok && name == anchor {
				all = append(all, other)
			}
		}
	}
	return all
}

type inversion struct {
	location *location
	inverted bool
}

// isInverted reports whether a keyword that is missing here stands where refusing less may come out as refusing more.
func (c *compiler) isInverted(l *location, inverted bool, seen map[inversion]bool) bool {
	if seen[inversion{l, inverted}] {
		return false
	}
	seen[inversion{l, inverted}] = true
	for _, child := range l.children {
		switch child.keyword {
		case "unevaluatedItems", "unevaluatedProperties":
			if inverted {
				return true
			}
		case "$defs", "definitions", "contentSchema":
			continue
		}
		below := inverted
		switch child.keyword {
		case "not", "if", "oneOf", "contains":
			below = true
		}
		if c.isInverted(child.location, below, seen) {
			return true
		}
	}
	for _, keyword := range []string{"$ref", "$dynamicRef"} {
		if ref, ok := codec.Unquote(l.keywords[keyword]); ok {
			if target, err := c.resolve(l, ref); err == nil && c.isInverted(target, inverted, seen) {
				return true
			}
		}
	}
	return false
}

// affords reports whether the value is small enough for the schema.
func (f *foreignRule) affords(value []byte) bool {
	values := 1
	for i := 0; i < len(value); i++ {
		switch value[i] {
		case '"':
			end, _, _ := scanString(value, i)
			i = end - 1
		case ',', '{', '[':
			values++
		}
	}
	return values <= maxForeignWork/f.size
}

func (f *foreignRule) validate(value []byte) error { return f.schema.Validate(decode(value)) }

// violation puts an error of google/jsonschema-go, which has the path in the schema and not the one in the data, and
// may repeat values, into our words.
func (f *foreignRule) violation(pointer string, err error) Violation {
	text, place := err.Error(), ""
	for {
		rest, found := strings.CutPrefix(text, "validating ")
		if !found {
			break
		}
		var where string
		where, text, _ = strings.Cut(rest, ": ")
		place = where
	}
	keyword, _, _ := strings.Cut(text, ":")
	if last := place[strings.LastIndexByte(place, '/')+1:]; strings.HasPrefix(last, "unevaluated") {
		keyword = last
	}
	return Violation{Pointer: pointer, Rule: keyword, Expected: "valid by " + keyword + " at " + place + " of the schema"}
}

// decode turns valid JSON into the Go values that google/jsonschema-go reads. It knows no exact decimals: integers of
// 64 bits stay exact, other numbers are rounded.
func decode(value []byte) any {
	switch value[0] {
	case '"':
		text, _ := codec.Unquote(value)
		return text
	case '{':
		object := map[string]any{}
		for m := range members(value) {
			object[m.name] = decode(m.value)
		}
		return object
	case '[':
		array := []any{}
		for _, v := range elements(value) {
			array = append(array, decode(v))
		}
		return array
	case 't', 'f':
		return value[0] == 't'
	case 'n':
		return nil
	}
	if n, err := strconv.ParseInt(string(value), 10, 64); err == nil {
		return n
	}
	number, _ := strconv.ParseFloat(string(value), 64)
	return min(max(number, -math.MaxFloat64), math.MaxFloat64) // there is no infinity in JSON
}
