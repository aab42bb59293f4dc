package jsonschema

import (
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/jsonschema/document"
	"github.com/bowline-mcp/bowline/internal/json/jsonschema/format"
	"github.com/bowline-mcp/bowline/internal/json/rawjson"
	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// violated adds a violation of a keyword by the value from i to end, if the walker collects
// violations. It reports whether to stop.
func (w *walker) violated(r *rule, keyword string, i, end int) (stop bool) {
	if !w.collect {
		return true
	}
	v := Violation{Pointer: string(w.path), Rule: keyword, Got: document.KindOf(w.data[i])}
	value := w.data[i:end]
	switch keyword {
	case "duplicate":
		v.Expected, v.Got = "each property once", ""
	case "false":
		v.Expected, v.Got = "absent", ""
	case "not":
		v.Expected = "anything but " + r.not.expected()
	case "oneOf":
		v.Expected = "exactly one of: " + alternatives(r.oneOf)
	case "anyOf":
		v.Expected = alternatives(r.anyOf)
	default:
		v.Expected = r.expected()
		if got := sizeOf(keyword, value); got != "" {
			v.Got = got
		}
		if text, ok := codec.Unquote(value); ok && r.enum != nil && keyword == r.enum.keyword {
			v.Nearest = naming.Nearest(text, r.enum.choices)
		}
	}
	return w.add(v)
}

// sizeOf describes the value if its type alone doesn't explain the violation.
func sizeOf(keyword string, value []byte) string {
	const short = 32
	switch keyword {
	case "type":
		if document.KindOf(value[0]) == "a number" && len(value) <= short {
			return "the number " + string(value)
		}
	case "minLength", "maxLength":
		text, _ := codec.Unquote(value)
		return plural(utf8.RuneCountInString(text), "character", "characters")
	case "minItems", "maxItems":
		return plural(countParts(value), "item", "items")
	case "minProperties", "maxProperties":
		return plural(countParts(value), "property", "properties")
	case "pattern", "format":
		return "another string"
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "enum", "const":
		if len(value) <= short && value[0] != '{' && value[0] != '[' {
			return string(value)
		}
	}
	return ""
}

func countParts(container []byte) int {
	count := 0
	for c := rawjson.Enter(container, 0, rawjson.MaxNesting); c.Next(); {
		count++
	}
	return count
}

func plural(count int, one, many string) string {
	if count == 1 {
		return "1 " + one
	}
	return strconv.Itoa(count) + " " + many
}

// unexpected adds the violation of a property that must be absent, or of an item if the name
// is nil. It reports whether to stop.
func (w *walker) unexpected(r *rule, keyword string, name []byte) (stop bool) {
	if !w.collect {
		return true
	}
	v := Violation{Pointer: string(w.path), Rule: keyword, Expected: "absent"}
	if name != nil {
		known := r.object.declared()
		if keyword != "additionalProperties" {
			known = r.declaredAround(nil, map[*rule]bool{})
		}
		v.Expected, v.Nearest = "a declared property", naming.Nearest(string(name), known)
	}
	return w.add(v)
}

// misnamed adds the violation of a property whose name has another format, and reports whether
// to stop.
func (w *walker) misnamed(of string) (stop bool) {
	if !w.collect {
		return true
	}
	return w.add(Violation{Pointer: string(w.path), Rule: "propertyNames", Expected: format.Describe(of)})
}

// declaredAround appends the names of the properties of r and of the rules that it applies to
// the same value.
func (r *rule) declaredAround(names []string, seen map[*rule]bool) []string {
	if seen[r] {
		return names
	}
	seen[r] = true
	names = append(names, r.object.declared()...)
	for _, sub := range r.sameValue() {
		names = sub.declaredAround(names, seen)
	}
	return names
}

// missing adds the violation of a missing property and reports whether to stop.
func (w *walker) missing(o *objectRule, property int, keyword, because string) (stop bool) {
	if !w.collect {
		return true
	}
	p := &o.properties[property]
	v := Violation{Pointer: string(rawjson.AppendPointer(append(slices.Clone(w.path), '/'), p.name)), Rule: keyword, Expected: anyValue}
	if p.rule != nil {
		v.Expected = p.rule.expected()
	}
	if because != "" {
		v.Expected += ", because " + codec.Quote(because) + " is given"
	}
	return w.add(v)
}

// repeatedItem adds the violation of an item that equals an earlier one, and reports whether
// to stop.
func (w *walker) repeatedItem(earlier, later int) (stop bool) {
	if !w.collect {
		return true
	}
	return w.add(Violation{
		Pointer:  string(w.path) + "/" + strconv.Itoa(later),
		Rule:     "uniqueItems",
		Expected: fmt.Sprintf("different from item %d", earlier),
	})
}

// refused adds the error of a Go check and reports whether to stop.
func (w *walker) refused(err error) (stop bool) {
	if !w.collect {
		return true
	}
	return w.add(Violation{Pointer: string(w.path), Rule: "check", Expected: err.Error()})
}

// add adds a violation unless it was added before, and reports whether there are enough.
func (w *walker) add(v Violation) (stop bool) {
	if !slices.ContainsFunc(w.found, func(f Violation) bool { return f.Pointer == v.Pointer && f.Rule == v.Rule }) {
		w.found = append(w.found, v)
	}
	w.halted = w.halted || len(w.found) >= limits.MaxViolations
	return w.halted
}

// broken ends the walk at data that isn't valid JSON.
func (w *walker) broken(i int) int {
	where := "it ends too early, after byte " + strconv.Itoa(len(w.data))
	if i < len(w.data) {
		where = "it breaks at byte " + strconv.Itoa(i)
	}
	return w.halt(Violation{Rule: "json", Expected: "valid JSON: " + where})
}

func (w *walker) tooDeep() int {
	return w.halt(Violation{
		Pointer:  string(w.path),
		Rule:     "depth",
		Expected: fmt.Sprintf("nested at most %d levels deep", limits.MaxSchemaDepth),
	})
}

// halt ends the walk. It stores the cause separately, since the walk may be a trial, which
// collects no violations.
func (w *walker) halt(v Violation) int {
	w.cause, w.halted = v, true
	return stopped
}
