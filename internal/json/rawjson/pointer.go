package rawjson

// AppendPointer appends a name as one reference token of a JSON Pointer (RFC 6901).
func AppendPointer[Name ~[]byte | ~string](dst []byte, name Name) []byte {
	for i := range len(name) {
		switch name[i] {
		case '~':
			dst = append(dst, "~0"...)
		case '/':
			dst = append(dst, "~1"...)
		default:
			dst = append(dst, name[i])
		}
	}
	return dst
}

// Nesting returns the depth of nested containers in a valid JSON text.
func Nesting(value []byte) int {
	depth, deepest := 0, 0
	for i := 0; i < len(value); i++ {
		switch value[i] {
		case '"':
			end, _ := ScanString(value, i)
			i = end - 1
		case '{', '[':
			depth++
			deepest = max(deepest, depth)
		case '}', ']':
			depth--
		}
	}
	return deepest
}
