package jsonschema

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/jsonschema/format"
	"github.com/bowline-mcp/bowline/internal/json/rawjson"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// enter checks the type of the container at i and its depth. It returns the rule for the
// container, the frame for the marks of its parts, and the position of the first part. For an
// empty container, over is true and the position is its end.
func (w *walker) enter(r *rule, t types, i int, closing byte) (_ *rule, frame, next int, over bool) {
	frame = w.frame
	w.frame = -1 // the parts have their own marks
	w.depth++
	if r.types&t == 0 {
		if w.violated(r, "type", i, i+1) {
			return r, frame, stopped, true
		}
		r = w.free
	}
	if w.depth > limits.MaxSchemaDepth {
		return r, frame, w.tooDeep(), true
	}
	i = rawjson.SkipSpace(w.data, i+1)
	if i < len(w.data) && w.data[i] == closing {
		return r, frame, i + 1, true
	}
	return r, frame, i, false
}

// after reads the separator after a part. It returns the position of the next part. At the
// end of the container, over is true and the position is that end.
func (w *walker) after(i int, closing byte) (next int, over bool) {
	i = rawjson.SkipSpace(w.data, i)
	if i < len(w.data) && w.data[i] == ',' {
		return rawjson.SkipSpace(w.data, i+1), false
	}
	if i < len(w.data) && w.data[i] == closing {
		return i + 1, true
	}
	return w.broken(i), true
}

// array checks the array at i.
func (w *walker) array(r *rule, i int) int {
	start, count, contained := i, 0, 0
	r, frame, i, over := w.enter(r, typeArray, i, ']')
	a := r.array
	for ; !over; count++ {
		length := len(w.path)
		if w.collect {
			w.path = strconv.AppendInt(append(w.path, '/'), int64(count), 10)
		}
		item, evaluated := w.free, false
		switch {
		case a == nil:
		case count < len(a.prefix):
			item, evaluated = a.prefix[count], true
		case a.items != nil:
			item, evaluated = a.items, true
		}
		end := w.value(item, i)
		if end >= 0 && a != nil && a.contains != nil && w.trial(a.contains, i) {
			contained++
			evaluated = true
		}
		if end < 0 || w.halted {
			return stopped
		}
		if evaluated && frame >= 0 {
			w.mark(frame, count)
		}
		w.path = w.path[:length]
		i, over = w.after(end, ']')
	}
	w.depth--
	w.frame = frame
	if i >= 0 && a != nil && w.finishArray(r, count, contained, start, i) {
		return stopped
	}
	return i
}

// finishArray checks the keywords that need the whole array and reports whether to stop.
func (w *walker) finishArray(r *rule, count, contained, start, end int) (stop bool) {
	a := r.array
	if a.minItems >= 0 && count < a.minItems && w.violated(r, "minItems", start, end) ||
		a.maxItems >= 0 && count > a.maxItems && w.violated(r, "maxItems", start, end) ||
		a.contains != nil && contained < a.minContains && w.violated(r, "contains", start, end) ||
		a.contains != nil && a.maxContains >= 0 && contained > a.maxContains && w.violated(r, "maxContains", start, end) {
		return true
	}
	if a.unique && count > 1 {
		w.work -= end - start
		if earlier, later, found := rawjson.Repeated(w.data, start); found && w.repeatedItem(earlier, later) {
			return true
		}
	}
	return false
}

// object checks the object at i.
func (w *walker) object(r *rule, i int) int {
	var (
		marks  [2]uint64
		seen   = marks[:] // one bit for each declared property in the data
		others names
		count  int
	)
	start := i
	r, frame, i, over := w.enter(r, typeObject, i, '}')
	o := r.object
	if o != nil && len(o.properties) > 64*len(marks) {
		seen = make([]uint64, (len(o.properties)+63)/64)
	}
	for ; !over; count++ {
		name, end, value := w.name(i)
		if value < 0 {
			return stopped
		}
		known, repeated := o.meet(name, seen, &others)
		length := len(w.path)
		if w.collect {
			w.path = rawjson.AppendPointer(append(w.path, '/'), name)
		}
		if repeated && w.violated(r, "duplicate", i, end) {
			return stopped
		}
		end, evaluated := w.member(r, known, name, i, value)
		if end < 0 {
			return stopped
		}
		if evaluated && frame >= 0 {
			w.mark(frame, count)
		}
		w.path = w.path[:length]
		i, over = w.after(end, '}')
	}
	w.depth--
	w.frame = frame
	if i < 0 || o != nil && w.finish(r, seen, count, start, i) {
		return stopped
	}
	return i
}

// meet returns the index of a declared property, or -1 for any other name, and marks the name
// as seen. It reports whether the name was seen before.
func (o *objectRule) meet(name []byte, seen []uint64, others *names) (known int, repeated bool) {
	known = -1
	if o != nil {
		known = o.find(name)
	}
	if known < 0 {
		return known, !others.add(name)
	}
	word, mark := &seen[known/64], uint64(1)<<(known%64)
	repeated = *word&mark != 0
	*word |= mark
	return known, repeated
}

// manyProperties is the number of properties from which a map is faster than a loop. With
// three properties, the loop saves a quarter of the time.
const manyProperties = 12

// find returns the index of a name, or -1.
func (o *objectRule) find(name []byte) int {
	if o.index != nil {
		if i, ok := o.index[string(name)]; ok {
			return i
		}
		return -1
	}
	for i := range o.properties {
		if o.properties[i].name == string(name) {
			return i
		}
	}
	return -1
}

// name reads the name at i. It returns the decoded name, its end, and the position of the
// value after it.
func (w *walker) name(i int) (name []byte, end, value int) {
	if i >= len(w.data) || w.data[i] != '"' {
		return nil, i, w.broken(i)
	}
	text := rawjson.ScanText(w.data, i)
	end = text.End
	if !text.Valid || !text.ASCII && !utf8.Valid(w.data[i:end]) {
		return nil, i, w.broken(i)
	}
	w.work -= end - i
	name = w.data[i+1 : end-1]
	if text.Escaped {
		decoded, _ := codec.Unquote(w.data[i:end])
		name = []byte(decoded)
	}
	i = rawjson.SkipSpace(w.data, end)
	if i >= len(w.data) || w.data[i] != ':' {
		return nil, end, w.broken(i)
	}
	return name, end, rawjson.SkipSpace(w.data, i+1)
}

// member checks the member with its name at i and its value at v, and reports whether a
// keyword evaluated it.
func (w *walker) member(r *rule, known int, name []byte, i, v int) (end int, evaluated bool) {
	o, after := r.object, 0
	if o == nil {
		return w.value(w.free, v), r.rest
	}
	if o.names != nil && w.value(o.names, i) < 0 ||
		o.nameFormat != "" && !format.Matches(o.nameFormat, name) && w.misnamed(o.nameFormat) {
		return stopped, false
	}
	if known >= 0 && o.properties[known].rule != nil {
		if after = w.value(o.properties[known].rule, v); after < 0 {
			return stopped, false
		}
	}
	for _, p := range o.patterns {
		if w.tooCostly(p.pattern, name) {
			return stopped, false
		}
		if p.pattern.Match(name) {
			if after = w.value(p.rule, v); after < 0 {
				return stopped, false
			}
		}
	}
	switch {
	case after > 0:
		return after, true
	case o.additional != nil:
		return w.value(o.additional, v), true
	case o.closed && w.unexpected(r, "additionalProperties", name):
		return stopped, false
	}
	return w.value(w.free, v), o.closed || r.rest
}

// finish checks the keywords that need the whole object and reports whether to stop.
func (w *walker) finish(r *rule, seen []uint64, count, start, end int) (stop bool) {
	o := r.object
	for i := range o.properties {
		if o.properties[i].required && seen[i/64]&(1<<(i%64)) == 0 && w.missing(o, i, "required", "") {
			return true
		}
	}
	if o.minProperties >= 0 && count < o.minProperties && w.violated(r, "minProperties", start, end) ||
		o.maxProperties >= 0 && count > o.maxProperties && w.violated(r, "maxProperties", start, end) {
		return true
	}
	for _, d := range o.dependents {
		if seen[d.property/64]&(1<<(d.property%64)) == 0 {
			continue
		}
		for _, i := range d.required {
			if seen[i/64]&(1<<(i%64)) == 0 && w.missing(o, i, "dependentRequired", o.properties[d.property].name) {
				return true
			}
		}
		if d.rule != nil && w.value(d.rule, start) < 0 {
			return true
		}
	}
	return false
}

// names is a set of the undeclared names in one object, used to find repeated ones. The first
// few need no map, which saves half the time for an object of five names.
type names struct {
	few   [8][]byte
	count int
	many  map[string]struct{}
}

// add reports whether the name is new.
func (n *names) add(name []byte) bool {
	if n.many != nil {
		_, known := n.many[string(name)]
		n.many[string(name)] = struct{}{}
		return !known
	}
	for _, known := range n.few[:n.count] {
		if bytes.Equal(known, name) {
			return false
		}
	}
	if n.count < len(n.few) {
		n.few[n.count] = name
		n.count++
		return true
	}
	n.many = make(map[string]struct{}, 4*len(n.few))
	for _, known := range n.few {
		n.many[string(known)] = struct{}{}
	}
	n.many[string(name)] = struct{}{}
	return true
}
