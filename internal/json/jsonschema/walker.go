package jsonschema

import (
	"unicode/utf8"

	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/decimal"
	"github.com/bowline-mcp/bowline/internal/json/jsonschema/ecma262"
	"github.com/bowline-mcp/bowline/internal/json/jsonschema/format"
	"github.com/bowline-mcp/bowline/internal/json/rawjson"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// A walker validates one JSON text in one pass over its bytes. The first walk doesn't collect
// violations: it stops at the first one and doesn't allocate. If there is one, a second walk
// collects all violations with their paths.
//
// Every method that walks a value returns the position after it, or stopped.
type walker struct {
	data     []byte
	free     *rule // the rule that allows anything
	work     int   // the remaining budget
	matching int64 // the remaining budget for patterns
	depth    int
	collect  bool
	halted   bool // whether the data is invalid JSON, too deep or too much work, or there are enough violations
	path     []byte
	frame    int      // the start of the marks for the current value; -1 if no rule needs them
	marks    []uint64 // one bit for each evaluated part of a value
	found    []Violation
	cause    Violation // why the walk was halted; empty if there are enough violations
}

const stopped = -1

// whole checks the whole text and reports whether it is valid. Each value and each byte of a
// scalar costs one unit of work. The budget is a multiple of the size, since composition and
// references may walk a value several times. Patterns have a budget of their own,
// since its unit is one instruction for one byte.
func (w *walker) whole(r *rule) bool {
	w.work, w.frame = limits.CheckWork+limits.CheckWorkPerByte*len(w.data), -1
	w.matching = max(limits.CheckPatterns, limits.CheckPatternsPerByte*int64(len(w.data)))
	end := w.value(r, rawjson.SkipSpace(w.data, 0))
	if end < 0 {
		return false
	}
	if end = rawjson.SkipSpace(w.data, end); end < len(w.data) {
		w.broken(end)
		return false
	}
	return len(w.found) == 0
}

// violations returns the collected violations. If the text isn't valid JSON, that is the only
// one.
func (w *walker) violations() []Violation {
	switch w.cause.Rule {
	case "":
		return w.found
	case "json":
		return []Violation{w.cause}
	}
	return append(w.found, w.cause)
}

// value checks the value at i.
func (w *walker) value(r *rule, i int) int {
	for r.next != nil {
		r = r.next
	}
	w.work--
	if w.work < 0 {
		return w.halt(Violation{Rule: "work", Expected: "a smaller value: checking this one takes too much work"})
	}
	if i >= len(w.data) {
		return w.broken(i)
	}
	before, outer := len(w.found), w.frame
	if r.unevaluated != nil {
		w.frame = len(w.marks)
	}
	var end int
	switch w.data[i] {
	case '"':
		end = w.string(r, i)
	case '{':
		end = w.object(r, i)
	case '[':
		end = w.array(r, i)
	case 't', 'f':
		end = w.literal(r, typeBoolean, i)
	case 'n':
		end = w.literal(r, typeNull, i)
	default:
		end = w.number(r, i)
	}
	if end < 0 || r.plain {
		return end
	}
	if end = w.compose(r, i, end, before); end >= 0 && r.unevaluated != nil {
		end = w.leftover(r, i, end, outer, before)
	}
	return end
}

func (w *walker) literal(r *rule, t types, i int) int {
	end := rawjson.ScanLiteral(w.data, i)
	if end < 0 {
		return w.broken(i)
	}
	if r.types&t == 0 && w.violated(r, "type", i, end) {
		return stopped
	}
	return end
}

func (w *walker) string(r *rule, i int) int {
	scanned := rawjson.ScanText(w.data, i)
	end := scanned.End
	if !scanned.Valid || !scanned.ASCII && !utf8.Valid(w.data[i:end]) {
		return w.broken(i)
	}
	w.work -= end - i
	if r.types&typeString == 0 {
		if w.violated(r, "type", i, end) {
			return stopped
		}
		return end
	}
	s := r.string
	if s == nil {
		return end
	}
	before := len(w.found)
	length := 0
	if s.minLength >= 0 || s.maxLength >= 0 {
		length = rawjson.Length(w.data[i:end])
	}
	if s.minLength >= 0 && length < s.minLength && w.violated(r, "minLength", i, end) ||
		s.maxLength >= 0 && length > s.maxLength && w.violated(r, "maxLength", i, end) {
		return stopped
	}
	tooLong := s.maxLength >= 0 && length > s.maxLength // and reported, so the rest is in vain
	if tooLong || s.pattern == nil && s.format == "" && s.check == nil {
		return end
	}
	text := w.data[i+1 : end-1]
	if scanned.Escaped {
		decoded, _ := codec.Unquote(w.data[i:end])
		text = []byte(decoded)
	}
	if s.pattern != nil && (w.tooCostly(s.pattern, text) || !s.pattern.Match(text) && w.violated(r, "pattern", i, end)) ||
		s.format != "" && len(w.found) == before && !format.Matches(s.format, text) && w.violated(r, "format", i, end) {
		return stopped
	}
	if s.check != nil && len(w.found) == before {
		if err := s.check(string(text)); err != nil && w.refused(err) {
			return stopped
		}
	}
	return end
}

func (w *walker) number(r *rule, i int) int {
	end, plain, ok := rawjson.ScanNumber(w.data, i)
	if !ok {
		return w.broken(i)
	}
	w.work -= end - i
	text := w.data[i:end]
	if r.types&typeNumber == 0 && (r.types&typeInteger == 0 || !plain && !decimal.Parse(text).IsInteger()) {
		if w.violated(r, "type", i, end) {
			return stopped
		}
		return end
	}
	n := r.number
	if n == nil {
		return end
	}
	before := len(w.found)
	number := measure(text, plain)
	if n.minimum != nil && number.compare(n.minimum) < 0 && w.violated(r, "minimum", i, end) ||
		n.maximum != nil && number.compare(n.maximum) > 0 && w.violated(r, "maximum", i, end) ||
		n.exclusiveMin != nil && number.compare(n.exclusiveMin) <= 0 && w.violated(r, "exclusiveMinimum", i, end) ||
		n.exclusiveMax != nil && number.compare(n.exclusiveMax) >= 0 && w.violated(r, "exclusiveMaximum", i, end) ||
		n.multipleOf != nil && !number.multipleOf(n.multipleOf) && w.violated(r, "multipleOf", i, end) {
		return stopped
	}
	if (n.fits != AnyWidth || n.safe) && len(w.found) == before {
		if err := n.goCheck(text); err != nil && w.refused(err) {
			return stopped
		}
	}
	return end
}

// tooCostly charges the budget for a match of a text, and ends the walk beyond the budget.
func (w *walker) tooCostly(p *ecma262.Regexp, text []byte) (stop bool) {
	w.matching -= p.Cost(text)
	if w.matching >= 0 {
		return false
	}
	w.halt(Violation{Rule: "work", Expected: "a smaller value: matching this one with the pattern " + p.String() + " takes too much work"})
	return true
}

// trial reports whether the value at i, which must be valid JSON, fits a rule. It collects no
// violations, and drops the marks of a rule that doesn't fit.
func (w *walker) trial(r *rule, i int) bool {
	collect, depth, frame, top := w.collect, w.depth, w.frame, len(w.marks)
	w.collect = false
	if frame >= 0 {
		w.frame = top
	}
	fits := w.value(r, i) >= 0
	w.collect, w.depth, w.frame = collect, depth, frame
	if fits && frame >= 0 {
		w.merge(top)
	} else {
		w.marks = w.marks[:top]
	}
	return fits
}
