package jsonschema

// compose checks the keywords for values of every type. The value from i to end must be valid
// JSON. The violations from index before on belong to this value.
func (w *walker) compose(r *rule, i, end, before int) int {
	if len(w.found) > before && w.found[before].Rule == "type" && w.found[before].Pointer == string(w.path) {
		return end // further violations would only repeat that the type is wrong
	}
	if r.never && w.violated(r, "false", i, end) ||
		r.enum != nil && !r.enum.allows(w.data[i:end]) && w.violated(r, r.enum.keyword, i, end) {
		return stopped
	}
	for _, sub := range r.allOf {
		if w.value(sub, i) < 0 {
			return stopped
		}
	}
	if r.anyOf != nil && w.anyOf(r, i, end) || r.oneOf != nil && w.oneOf(r, i, end) {
		return stopped
	}
	if r.not != nil {
		frame := w.frame
		w.frame = -1 // by the specification, a schema inside "not" evaluates no parts
		fits := w.trial(r.not, i)
		w.frame = frame
		if w.halted || fits && w.violated(r, "not", i, end) {
			return stopped
		}
	}
	if r.when != nil {
		branch := r.orElse
		if w.trial(r.when, i) {
			branch = r.then
		}
		if w.halted || branch != nil && w.value(branch, i) < 0 {
			return stopped
		}
	}
	if r.check != nil && len(w.found) == before {
		if err := r.check(w.data[i:end]); err != nil && w.refused(err) {
			return stopped
		}
	}
	return end
}

// anyOf reports whether to stop.
func (w *walker) anyOf(r *rule, i, end int) (stop bool) {
	fits := false
	for _, sub := range r.anyOf {
		if w.trial(sub, i) {
			if w.frame < 0 {
				return false
			}
			fits = true // the others may evaluate more
		}
		if w.halted {
			return true
		}
	}
	return !fits && w.noneFits(r, r.anyOf, "anyOf", i, end)
}

// oneOf reports whether to stop.
func (w *walker) oneOf(r *rule, i, end int) (stop bool) {
	fitting := 0
	for _, sub := range r.oneOf {
		if w.trial(sub, i) {
			fitting++
		}
		if w.halted {
			return true
		}
	}
	switch fitting {
	case 0:
		return w.noneFits(r, r.oneOf, "oneOf", i, end)
	case 1:
		return false
	}
	return w.violated(r, "oneOf", i, end)
}

// noneFits explains why no member of a union fits. If only one member allows the type of the
// value, the violations of that member help more than a list of the members.
func (w *walker) noneFits(r *rule, members []*rule, keyword string, i, end int) (stop bool) {
	if !w.collect {
		return true
	}
	var meant *rule
	candidates := 0
	for _, sub := range members {
		if sub.resolve().accepts(w.data[i]) {
			meant = sub
			candidates++
		}
	}
	if candidates == 1 {
		return w.value(meant, i) < 0
	}
	return w.violated(r, keyword, i, end)
}

// resolve follows bare references.
func (r *rule) resolve() *rule {
	for r.next != nil {
		r = r.next
	}
	return r
}

// accepts reports whether the rule allows the type of a value with the given first byte.
func (r *rule) accepts(first byte) bool {
	if r.never {
		return false
	}
	var t types
	switch first {
	case '"':
		t = typeString
	case '{':
		t = typeObject
	case '[':
		t = typeArray
	case 't', 'f':
		t = typeBoolean
	case 'n':
		t = typeNull
	default:
		t = typeNumber | typeInteger
	}
	return r.types&t != 0
}
