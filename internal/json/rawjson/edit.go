package rawjson

// An Edit replaces the bytes of a JSON text from Start to End.
type Edit struct {
	Start, End int
	Text       []byte
}

// Apply applies edits, which must be in order and must not overlap. Without edits it returns
// data itself.
func Apply(data []byte, edits []Edit) []byte {
	if len(edits) == 0 {
		return data
	}
	size := len(data)
	for _, e := range edits {
		size += len(e.Text) - (e.End - e.Start)
	}
	out, last := make([]byte, 0, size), 0
	for _, e := range edits {
		out = append(append(out, data[last:e.Start]...), e.Text...)
		last = e.End
	}
	return append(out, data[last:]...)
}
