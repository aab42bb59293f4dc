package schema

// An edit replaces the bytes from start to end.
type edit struct {
	start, end int
	text       []byte
}

// apply makes the edits, which are in order and don't overlap. Without any it returns data itself.
func apply(data []byte, edits []edit) []byte {
	if len(edits) == 0 {
		return data
	}
	size := len(data)
	for _, e := range edits {
		size += len(e.text) - (e.end - e.start)
	}
	out, last := make([]byte, 0, size), 0
	for _, e := range edits {
		out = append(append(out, data[last:e.start]...), e.text...)
		last = e.end
	}
	return append(out, data[last:]...)
}

// memberRule is the rule of a member by the properties keyword, or else by additionalProperties; nil when there is none.
func (o *objectRule) memberRule(name []byte) *rule {
	if i := o.find(unquoteName(name), 0); i >= 0 && o.properties[i].rule != nil {
		return o.properties[i].rule
	}
	return o.additional
}

// itemRule is the rule of the item at an index, or nil.
func (a *arrayRule) itemRule(index int) *rule {
	if index < len(a.prefix) {
		return a.prefix[index]
	}
	return a.items
}
