package rawjson

import (
	"bytes"
	"slices"

	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/decimal"
)

// AppendCanonical appends the canonical text of a valid JSON value: without white space, with
// sorted names, and with a single notation for each string and number. Two values are equal
// by the rules of JSON Schema if their canonical texts are equal.
func AppendCanonical(dst, value []byte) []byte {
	switch value[0] {
	case '"':
		return appendCanonicalString(dst, value)
	case '{':
		type entry struct{ name, value []byte }
		var entries []entry
		for c := Enter(value, 0, MaxNesting); c.Next(); {
			entries = append(entries, entry{appendCanonicalString(nil, c.Name), c.Value()})
		}
		slices.SortFunc(entries, func(a, b entry) int { return bytes.Compare(a.name, b.name) })
		dst = append(dst, '{')
		for i, e := range entries {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(append(dst, e.name...), ':')
			dst = AppendCanonical(dst, e.value)
		}
		return append(dst, '}')
	case '[':
		dst = append(dst, '[')
		for i, v := range Elements(value) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = AppendCanonical(dst, v)
		}
		return append(dst, ']')
	case 't', 'f', 'n':
		return append(dst, value...)
	}
	return decimal.Parse(value).Append(dst)
}

func appendCanonicalString(dst, value []byte) []byte {
	text, _ := codec.Unquote(value)
	return codec.AppendQuote(dst, text)
}

// Repeated finds the first element of the array at i that equals an earlier one, and returns
// the indexes of both. The array must be valid. Short arrays of plain elements, the most
// common ones, need no map, which saves 60 % of the time.
func Repeated(data []byte, i int) (earlier, later int, found bool) {
	var few [16][]byte
	count, plain := 0, true
	for c := Enter(data, i, MaxNesting); c.Next(); count++ {
		if count < len(few) {
			few[count] = c.Value()
		}
		plain = plain && isPlain(c.Value())
	}
	if plain && count <= len(few) {
		for later := range count {
			for earlier := range later {
				if bytes.Equal(few[earlier], few[later]) {
					return earlier, later, true
				}
			}
		}
		return 0, 0, false
	}
	seen := make(map[string]int, count)
	var text []byte
	later = 0
	for c := Enter(data, i, MaxNesting); c.Next(); later++ {
		text = AppendCanonical(text[:0], c.Value())
		if earlier, ok := seen[string(text)]; ok {
			return earlier, later, true
		}
		seen[string(text)] = later
	}
	return 0, 0, false
}

// isPlain reports whether the value has only one notation.
func isPlain(value []byte) bool {
	switch value[0] {
	case '"':
		return bytes.IndexByte(value, '\\') < 0
	case '{', '[':
		return false
	case 't', 'f', 'n':
		return true
	}
	_, ok := decimal.ParseShort(value)
	return ok && string(value) != "-0"
}
