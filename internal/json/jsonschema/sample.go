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
	for value := range r.candidates {
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
		names := &rule{types: typeString, string: &stringRule{minLength: -1, maxLength: -1, format: o.nameFormat}, plain: true}
		if o.names != nil {
			names = o.names
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
			dst = dst[:start]
			break
		}
	}
	return append(dst, ']'), true
}

// candidates yields scalars, one of which the rule probably allows.
func (r *rule) candidates(yield func(string) bool) {
	all := func(values ...string) (more bool) {
		for _, value := range values {
			if !yield(value) {
				return false
			}
		}
		return true
	}
	if r.types&typeString != 0 {
		if !all(`""`, `"a"`, `"0"`, `"AA=="`, `"AAA="`, `"AAAA"`, `"2026-01-31T09:30:00Z"`, `"2026-01-31"`, `"a@example.com"`, `"https://example.com/"`,
			`"example.com"`, `"192.0.2.1"`, `"2001:db8::1"`, `"123e4567-e89b-42d3-a456-426614174000"`) {
			return
		}
		if s := r.string; s != nil && s.minLength > 0 && s.minLength < maxSample {
			padded := strings.Repeat("A", s.minLength)
			if !all(`"`+padded+`"`, `"`+padded[1:]+`="`, `"`+padded[min(2, len(padded)):]+`=="`) {
				return
			}
		}
	}
	if r.types&(typeInteger|typeNumber) != 0 {
		if !all("0", "1", "-1") {
			return
		}
		if n := r.number; n != nil {
			for _, b := range []*bound{n.minimum, n.maximum, n.exclusiveMin, n.exclusiveMax, n.multipleOf} {
				if b != nil && !all(b.text, strconv.FormatInt(b.short+1, 10), strconv.FormatInt(b.short-1, 10)) {
					return
				}
			}
		}
	}
	_ = (r.types&typeBoolean == 0 || yield("true")) && (r.types&typeNull == 0 || yield("null"))
}
