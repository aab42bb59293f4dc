package jsonschema

import (
	"slices"
	"strconv"
	"strings"

	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// Sample returns a value that the schema allows, with as many properties as it can set. It
// reports false if it can't make one, for example since a required text must match a pattern.
func (v *Validator) Sample() ([]byte, bool) {
	s := sampler{free: v.free, left: maxSample}
	sample, ok := s.append(nil, v.root)
	return sample, ok && v.Validate(sample) == nil
}

// maxSample is the number of values in a sample. A small schema may allow large ones only.
const maxSample = 1000

// A sampler makes one sample.
type sampler struct {
	free *rule
	left int     // how many values it may still make
	open []*rule // of the values around the next one, since rules may be recursive
}

// append appends a value of a rule to dst. It reports false if it can't make one.
func (s *sampler) append(dst []byte, r *rule) ([]byte, bool) {
	r = r.resolve()
	if s.left--; s.left < 0 || slices.Contains(s.open, r) {
		return append(dst, "null"...), r.types&typeNull != 0
	}
	s.open = append(s.open, r)
	defer func() { s.open = s.open[:len(s.open)-1] }()
	switch members := append(append(append([]*rule(nil), r.anyOf...), r.oneOf...), r.allOf...); {
	case r.byDefault != nil:
		return append(dst, r.byDefault...), true
	case r.enum != nil:
		return append(dst, r.enum.first...), true
	case len(members) > 0: // the other keywords, and members, may forbid what the first one allows
		longer, ok := s.append(dst, members[0])
		w := walker{data: longer[len(dst):], free: s.free}
		return longer, ok && w.whole(r)
	case r.object != nil || r.types == typeObject:
		return s.appendObject(dst, r.object)
	case r.array != nil || r.types == typeArray:
		return s.appendArray(dst, r.array)
	}
	before := len(dst)
	for _, value := range r.candidates() {
		dst = append(dst[:before], value...)
		w := walker{data: dst[before:], free: s.free}
		if w.whole(r) {
			return dst, true
		}
	}
	return dst[:before], false
}

func (s *sampler) appendObject(dst []byte, o *objectRule) ([]byte, bool) {
	dst = append(dst, '{')
	if o == nil {
		return append(dst, '}'), true
	}
	member := func(name string, r *rule) (ok bool) {
		start := len(dst)
		if dst[start-1] != '{' {
			dst = append(dst, ',')
		}
		if dst, ok = s.append(append(codec.AppendQuote(dst, name), ':'), r); !ok {
			dst = dst[:start]
		}
		return ok
	}
	for _, p := range o.properties {
		if p.rule != nil && !member(p.name, p.rule) && p.required {
			return dst, false
		}
	}
	if o.additional != nil {
		names := o.names
		if names == nil {
			names = &rule{types: typeString, plain: true}
			ensureString(names).format = o.nameFormat
		}
		if quoted, ok := s.append(nil, names); ok {
			name, _ := codec.Unquote(quoted)
			member(name, o.additional)
		}
	}
	return append(dst, '}'), true
}

func (s *sampler) appendArray(dst []byte, a *arrayRule) ([]byte, bool) {
	dst = append(dst, '[')
	if a == nil {
		return append(dst, ']'), true
	}
	count := max(a.minItems, 1)
	if a.maxItems == 0 {
		count = 0
	}
	for i := range min(count, maxSample) {
		start, item := len(dst), a.itemRule(i)
		if item == nil {
			item = s.free
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		var ok bool
		if dst, ok = s.append(dst, item); !ok {
			return append(dst[:start], ']'), true
		}
	}
	return append(dst, ']'), true
}

// candidates returns scalars, one of which the rule probably allows.
func (r *rule) candidates() []string {
	values := []string{
		`""`, `"a"`, `"0"`, `"AA=="`, `"AAA="`, `"AAAA"`, `"2026-01-31T09:30:00Z"`, `"2026-01-31"`, `"a@example.com"`, `"https://example.com/"`,
		`"example.com"`, `"192.0.2.1"`, `"2001:db8::1"`, `"123e4567-e89b-42d3-a456-426614174000"`,
	}
	if r.string != nil {
		text := strings.Repeat("A", max(0, min(r.string.minLength, maxSample)))
		for _, padding := range []string{"", "=", "=="} { // of base64
			values = append(values, `"`+text[min(len(padding), len(text)):]+padding+`"`)
		}
	}
	values = append(values, "0", "1", "-1")
	if n := r.number; n != nil {
		for _, b := range []*bound{n.minimum, n.maximum, n.exclusiveMin, n.exclusiveMax, n.multipleOf} {
			if b != nil {
				values = append(values, b.text, strconv.FormatInt(b.short+1, 10), strconv.FormatInt(b.short-1, 10))
			}
		}
	}
	return append(values, "true", "null")
}
