package resources

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Expand returns the URI that the variables make. As RFC 6570 says, a variable that
// has no value leaves nothing behind, and values that the template has no variable for
// are ignored. The error says that a value is not valid UTF-8.
func (t *Template) Expand(variables map[string]string) (string, error) {
	var b strings.Builder
	for _, part := range t.parts {
		if part.expression == nil {
			b.WriteString(part.literal)
			continue
		}
		if err := part.expression.expand(&b, variables); err != nil {
			return "", fmt.Errorf("the URI template %q: %w", t.text, err)
		}
	}
	return b.String(), nil
}

func (e *expression) expand(b *strings.Builder, variables map[string]string) error {
	before := e.first
	for _, name := range e.variables {
		value, ok := variables[name]
		if !ok {
			continue
		}
		if !utf8.ValidString(value) {
			return fmt.Errorf("the value of %s is not valid UTF-8", name)
		}
		b.WriteString(before)
		before = e.separate
		if e.named {
			b.WriteString(name)
			if value == "" {
				b.WriteString(e.ifEmpty)
				continue
			}
			b.WriteByte('=')
		}
		encode(b, value, e.reserved)
	}
	return nil
}

// encode percent-encodes what isn't unreserved (RFC 3986, section 2.3). If reserved
// characters are let through, triplets such as %2F are too.
func encode(b *strings.Builder, text string, reserved bool) {
	for i := range len(text) {
		c := text[i]
		switch {
		case isUnreserved(c), reserved && (isReserved(c) || isTriplet(text[i:])):
			b.WriteByte(c)
		default:
			const hex = "0123456789ABCDEF"
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		}
	}
}

func isUnreserved(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0
}

func isReserved(c byte) bool { return strings.IndexByte(":/?#[]@!$&'()*+,;=", c) >= 0 }

// isTriplet reports whether a text begins with a percent-encoded byte.
func isTriplet(text string) bool {
	return len(text) >= 3 && text[0] == '%' && isHex(text[1]) && isHex(text[2])
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// encodeLiteral percent-encodes a literal, and refuses what RFC 6570, section 2.1,
// doesn't let be in one.
func encodeLiteral(text string) (string, error) {
	if !utf8.ValidString(text) {
		return "", errors.New("it is not valid UTF-8")
	}
	for i := range len(text) {
		switch c := text[i]; {
		case c == '}':
			return "", errors.New("a } has no {; write it as %7D")
		case c == '%' && !isTriplet(text[i:]):
			return "", errors.New("a % must begin a percent-encoded byte; write it as %25")
		case c <= ' ' || c == 0x7f || strings.IndexByte("\"<>\\^`|", c) >= 0:
			return "", fmt.Errorf("the character %q isn't allowed; write it as %%%02X", c, c)
		}
	}
	var b strings.Builder
	encode(&b, text, true)
	return b.String(), nil
}
