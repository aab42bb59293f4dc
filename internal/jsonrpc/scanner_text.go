package jsonrpc

import (
	"encoding/binary"
	"math/bits"
)

// text reads a string and reports whether it has an escape. It looks for what
// doesn't stand for itself (quotes, backslashes, control characters) in eight bytes
// at once.
func (s *scanner) text() (escaped bool, err error) {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	data, i := s.data, s.at+1
	for {
		for i+8 <= len(data) {
			x := binary.LittleEndian.Uint64(data[i:])
			quote, backslash := x^(ones*'"'), x^(ones*'\\')
			odd := ((x-ones*' ')&^x | (quote-ones)&^quote | (backslash-ones)&^backslash) & tops
			if odd != 0 {
				i += bits.TrailingZeros64(odd) / 8 // the lowest is exact
				break
			}
			i += 8
		}
		for i < len(data) && data[i] >= ' ' && data[i] != '"' && data[i] != '\\' {
			i++
		}
		if i == len(data) {
			s.at = i
			return false, s.broken("the end of a string")
		}
		switch c := data[i]; {
		case c == '"':
			s.at = i + 1
			return escaped, nil
		case c != '\\':
			s.at = i
			return false, s.broken("no control character in a string")
		}
		escaped = true
		n := escapeLength(data[i:])
		if n == 0 {
			s.at = i
			return false, s.broken("an escape")
		}
		i += n
	}
}

// escapeLength returns the length of the escape at the beginning of b, a pair of
// surrogates counting as one, and 0 if it isn't one.
func escapeLength(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		first, ok := hex(b[2:])
		switch {
		case !ok || first >= 0xDC00 && first < 0xE000:
			return 0
		case first < 0xD800 || first >= 0xE000:
			return 6
		}
		if len(b) < 12 || b[6] != '\\' || b[7] != 'u' {
			return 0
		}
		if second, ok := hex(b[8:]); !ok || second < 0xDC00 || second >= 0xE000 {
			return 0
		}
		return 12
	}
	return 0
}

// hex reads four hexadecimal digits.
func hex(b []byte) (value int, ok bool) {
	if len(b) < 4 {
		return 0, false
	}
	for _, c := range b[:4] {
		switch {
		case c >= '0' && c <= '9':
			value = value<<4 | int(c-'0')
		case c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F':
			value = value<<4 | int(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return value, true
}
