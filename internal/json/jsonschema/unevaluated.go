package jsonschema

import (
	"slices"
	"strconv"

	"github.com/bowline-mcp/bowline/internal/json/rawjson"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// The keywords unevaluatedItems and unevaluatedProperties apply to the parts of a value (the
// items of an array, the members of an object) that no other keyword has evaluated, neither
// in the same schema nor in the schemas that it applies to the same value. A rule with one of
// them opens a frame of marks. The rules for the same value mark the number of each part that
// they evaluate. Frames form a stack: the last frame belongs to the current value, and the
// frame of a part is closed before the next part.

// mark marks a part as evaluated in the last frame, which begins at a word.
func (w *walker) mark(frame, part int) {
	word := frame + part/64
	for word >= len(w.marks) {
		w.marks = append(w.marks, 0)
	}
	w.marks[word] |= 1 << (part % 64)
}

// marked reports whether a part was evaluated, in the frame that begins at a word.
func (w *walker) marked(frame, part int) bool {
	word := frame + part/64
	return word < len(w.marks) && w.marks[word]&(1<<(part%64)) != 0
}

// merge closes the frame that begins at top and adds its marks to the current frame,
// which ends there.
func (w *walker) merge(top int) {
	inner, outer := w.marks[top:], w.marks[w.frame:top]
	both := min(len(inner), len(outer))
	for i := range both {
		outer[i] |= inner[i]
	}
	w.marks = append(w.marks[:top], inner[both:]...)
}

// leftover checks the unevaluated parts of the value at i, and closes the frame of the rule.
// The violations from index before on belong to this value. If one of them concerns the value
// as a whole, for example because no member of a union fits, it is unknown which parts would
// have been evaluated. Then leftover checks none.
func (w *walker) leftover(r *rule, i, end, outer, before int) int {
	var left *rule
	var keyword string
	switch w.data[i] {
	case '{':
		left, keyword = r.unevaluated.properties, "unevaluatedProperties"
	case '[':
		left, keyword = r.unevaluated.items, "unevaluatedItems"
	}
	frame, count := w.frame, 0
	w.frame = -1
	amiss := slices.ContainsFunc(w.found[before:], func(v Violation) bool { return v.Pointer == string(w.path) })
	if left != nil && !amiss {
		w.work -= end - i
		w.depth++
		for c := rawjson.Enter(w.data, i, limits.MaxSchemaDepth); c.Next(); count++ {
			if !w.marked(frame, count) && w.part(r, left, keyword, &c, count) < 0 {
				return stopped
			}
		}
		w.depth--
	}
	w.frame = outer
	if outer < 0 {
		w.marks = w.marks[:frame]
		return end
	}
	w.merge(frame)
	for part := range count {
		w.mark(outer, part)
	}
	return end
}

// part checks one unevaluated part.
func (w *walker) part(r, left *rule, keyword string, c *rawjson.Cursor, index int) int {
	if left.never && !w.collect {
		return stopped
	}
	length := len(w.path)
	name := unquoteName(c.Name)
	switch {
	case !w.collect:
	case name == nil:
		w.path = strconv.AppendInt(append(w.path, '/'), int64(index), 10)
	default:
		w.path = rawjson.AppendPointer(append(w.path, '/'), name)
	}
	end := c.End
	if !left.never {
		end = w.value(left, c.Start)
	} else if w.unexpected(r, keyword, name) {
		end = stopped
	}
	w.path = w.path[:length]
	return end
}
