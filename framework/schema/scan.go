package schema

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// The functions of this file read JSON (RFC 8259) from any bytes, strictly: text that isn't valid UTF-8 and escapes of
// half a surrogate pair are refused, as by package codec. Positions are byte offsets; a negative one says that what
// was looked for isn't there.

// skipSpace returns the first position at or after i that isn't white space.
func skipSpace(data []byte, i int) int {
	for i < len(data) && (data[i] == ' ' || data[i] == '\n' || data[i] == '\t' || data[i] == '\r') {
		i++
	}
	return i
}

// scanString reads the string whose quote is at i. It returns its end, its length in code points and whether there are
// escapes in it.
func scanString(data []byte, i int) (end, length int, escaped bool) {
	i++
	start, extra := i, 0 // extra: bytes that aren't characters of their own
	for i < len(data) {
		if plain := countPlain(data, i); plain > 0 {
			i += plain
			continue
		}
		c := data[i]
		switch {
		case c == '"':
			return i + 1, i - start - extra, escaped
		case c == '\\':
			size := scanEscape(data, i)
			if size < 0 {
				return -1, 0, false
			}
			escaped = true
			i += size
			extra += size - 1
		case c < ' ':
			return -1, 0, false
		case c < utf8.RuneSelf:
			i++
		default:
			r, size := utf8.DecodeRune(data[i:])
			if r == utf8.RuneError && size == 1 {
				return -1, 0, false
			}
			i += size
			extra += size - 1
		}
	}
	return -1, 0, false
}

// countPlain returns how many of the eight bytes at i come before the first that is a quote, a backslash, a control
// character or not ASCII. It returns 0 when fewer than eight are left.
func countPlain(data []byte, i int) int {
	const (
		ones  = 0x0101010101010101
		highs = 0x8080808080808080
	)
	if i+8 > len(data) {
		return 0
	}
	// Subtracting borrows from the next byte only below one that is found already, so the first find is right.
	x := binary.LittleEndian.Uint64(data[i:])
	found := (x | (x - ones*' ') | ((x ^ ones*'"') - ones) | ((x ^ ones*'\\') - ones)) & highs
	return bits.TrailingZeros64(found) / 8
}

// scanEscape returns the size of the escape at i, both halves of a surrogate pair taken together.
func scanEscape(data []byte, i int) int {
	if i+1 >= len(data) {
		return -1
	}
	switch data[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		high := scanHex(data, i+2)
		switch {
		case high < 0 || high >= 0xDC00 && high < 0xE000:
			return -1
		case high < 0xD800 || high >= 0xE000:
			return 6
		}
		if i+7 >= len(data) || data[i+6] != '\\' || data[i+7] != 'u' {
			return -1
		}
		if low := scanHex(data, i+8); low < 0xDC00 || low >= 0xE000 {
			return -1
		}
		return 12
	}
	return -1
}

// scanHex returns the value of four hexadecimal digits.
func scanHex(data []byte, i int) int {
	if i+4 > len(data) {
		return -1
	}
	value := 0
	for _, c := range data[i : i+4] {
		switch {
		case c >= '0' && c <= '9':
			value = value<<4 | int(c-'0')
		case c >= 'a' && c <= 'f':
			value = value<<4 | int(c-'a'+10)
		case c >= 'A' && c <= 'F':
			value = value<<4 | int(c-'A'+10)
		default:
			return -1
		}
	}
	return value
}

// scanNumber reads the number at i. It returns its end and whether it is written without fraction and exponent.
func scanNumber(data []byte, i int) (end int, plain bool) {
	if i < len(data) && data[i] == '-' {
		i++
	}
	first := i
	i = scanDigits(data, i)
	if i == first || data[first] == '0' && i > first+1 {
		return -1, false
	}
	plain = true
	if i < len(data) && data[i] == '.' {
		plain = false
		next := scanDigits(data, i+1)
		if next == i+1 {
			return -1, false
		}
		i = next
	}
	if i < len(data) && data[i]|0x20 == 'e' {
		plain = false
		i++
		if i < len(data) && (data[i] == '+' || data[i] == '-') {
			i++
		}
		next := scanDigits(data, i)
		if next == i {
			return -1, false
		}
		i = next
	}
	return i, plain
}

func scanDigits(data []byte, i int) int {
	for i < len(data) && data[i] >= '0' && data[i] <= '9' {
		i++
	}
	return i
}

// scanLiteral reads true, false or null at i.
func scanLiteral(data []byte, i int) int {
	rest := data[i:]
	switch {
	case len(rest) >= 4 && (string(rest[:4]) == "true" || string(rest[:4]) == "null"):
		return i + 4
	case len(rest) >= 5 && string(rest[:5]) == "false":
		return i + 5
	}
	return -1
}

// scanValue reads the value at i, containers down to a depth.
func scanValue(data []byte, i, depth int) int {
	if i >= len(data) || depth < 0 {
		return -1
	}
	switch c := data[i]; c {
	case '"':
		end, _, _ := scanString(data, i)
		return end
	case '{', '[':
		c := enter(data, i, depth)
		for c.next() {
		}
		return c.after
	case 't', 'f', 'n':
		return scanLiteral(data, i)
	default:
		end, _ := scanNumber(data, i)
		return end
	}
}
