package schema

import "strconv"

// array checks the array at i.
func (w *walker) array(r *rule, i int) int {
	start, a := i, r.array
	if r.types&typeArray == 0 {
		if w.violated(r, "type", i, i+1) {
			return stopped
		}
		a = nil
	}
	if w.depth == maxDepth {
		return w.tooDeep()
	}
	w.depth++
	count, contained := 0, 0
	i = skipSpace(w.data, i+1)
	if i < len(w.data) && w.data[i] == ']' {
		i++
	} else {
		for {
			length := len(w.path)
			if w.collect {
				w.path = strconv.AppendInt(append(w.path, '/'), int64(count), 10)
			}
			item := w.free
			if a != nil && count < len(a.prefix) {
				item = a.prefix[count]
			} else if a != nil && a.items != nil {
				item = a.items
			}
			end := w.value(item, i)
			if end < 0 {
				return stopped
			}
			if a != nil && a.contains != nil && w.trial(a.contains, i) {
				contained++
			}
			if w.halted {
				return stopped
			}
			w.path = w.path[:length]
			count++
			i = skipSpace(w.data, end)
			if i < len(w.data) && w.data[i] == ',' {
				i = skipSpace(w.data, i+1)
				continue
			}
			if i < len(w.data) && w.data[i] == ']' {
				i++
				break
			}
			return w.broken(i)
		}
	}
	w.depth--
	if a == nil {
		return i
	}
	if a.minItems >= 0 && count < a.minItems && w.violated(r, "minItems", start, i) ||
		a.maxItems >= 0 && count > a.maxItems && w.violated(r, "maxItems", start, i) ||
		a.contains != nil && contained < a.minContains && w.violated(r, "contains", start, i) ||
		a.contains != nil && a.maxContains >= 0 && contained > a.maxContains && w.violated(r, "maxContains", start, i) {
		return stopped
	}
	if a.unique && count > 1 {
		w.work -= i - start
		if earlier, later, found := repeated(w.data, start); found && w.repeatedItem(earlier, later) {
			return stopped
		}
	}
	return i
}
