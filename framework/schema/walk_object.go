package schema

import "github.com/bowline-mcp/bowline/internal/codec"

// object checks the object at i.
func (w *walker) object(r *rule, i int) int {
	start, o := i, r.object
	if r.types&typeObject == 0 {
		if w.violated(r, "type", i, i+1) {
			return stopped
		}
		o = nil
	}
	if w.depth == maxDepth {
		return w.tooDeep()
	}
	w.depth++
	var (
		marks  [2]uint64 // which properties were seen
		seen   = marks[:]
		others names
		count  int
		next   int
	)
	if o != nil && len(o.properties) > 64*len(marks) {
		seen = make([]uint64, (len(o.properties)+63)/64)
	}
	i = skipSpace(w.data, i+1)
	if i < len(w.data) && w.data[i] == '}' {
		i++
	} else {
		for {
			if i >= len(w.data) || w.data[i] != '"' {
				return w.broken(i)
			}
			at := i
			end, _, escaped := scanString(w.data, i)
			if end < 0 {
				return w.broken(i)
			}
			w.work -= end - i
			name := w.data[i+1 : end-1]
			if escaped {
				text, _ := codec.Unquote(w.data[i:end])
				name = []byte(text)
			}
			i = skipSpace(w.data, end)
			if i >= len(w.data) || w.data[i] != ':' {
				return w.broken(i)
			}
			i = skipSpace(w.data, i+1)
			count++

			known, repeated := -1, false
			if o != nil {
				known = o.find(name, next)
			}
			if known >= 0 {
				next = known + 1
				mark := uint64(1) << (known % 64)
				repeated = seen[known/64]&mark != 0
				seen[known/64] |= mark
			} else {
				repeated = !others.add(name)
			}
			length := len(w.path)
			if w.collect {
				w.path = appendPointer(append(w.path, '/'), name)
			}
			if repeated && w.violated(r, "duplicate", at, end) {
				return stopped
			}
			if o == nil {
				i = w.value(w.free, i)
			} else {
				i = w.member(r, known, name, at, end, i)
			}
			if i < 0 {
				return stopped
			}
			w.path = w.path[:length]
			i = skipSpace(w.data, i)
			if i < len(w.data) && w.data[i] == ',' {
				i = skipSpace(w.data, i+1)
				continue
			}
			if i < len(w.data) && w.data[i] == '}' {
				i++
				break
			}
			return w.broken(i)
		}
	}
	w.depth--
	if o != nil && w.finish(r, seen, count, start, i) {
		return stopped
	}
	return i
}

// member checks the member whose name is at i up to end and whose value is at v.
func (w *walker) member(r *rule, known int, name []byte, i, end, v int) int {
	o, after := r.object, 0
	if o.names != nil && w.value(o.names, i) < 0 {
		return stopped
	}
	if known >= 0 && o.properties[known].rule != nil {
		if after = w.value(o.properties[known].rule, v); after < 0 {
			return stopped
		}
	}
	for _, p := range o.patterns {
		if p.pattern.Match(name) {
			if after = w.value(p.rule, v); after < 0 {
				return stopped
			}
		}
	}
	switch {
	case after > 0:
		return after
	case o.additional != nil:
		return w.value(o.additional, v)
	case o.closed && w.violated(r, "additionalProperties", i, end):
		return stopped
	}
	return w.value(w.free, v)
}

// finish checks what is known at the end of an object and reports whether to stop.
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
