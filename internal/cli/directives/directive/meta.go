package directive

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// MetaLiteral returns the value of a meta option as Go writes it: JSON, or else a text. What is in
// double quotes is always a text.
func MetaLiteral(o Option) string {
	if data := []byte(o.Value); !o.isQuoted && codec.Valid(data) {
		return literal(codec.NewDecoder(data))
	}
	return strconv.Quote(o.Value)
}

// literal returns the next value of valid JSON as Go writes it.
func literal(values *codec.Decoder) string {
	token, _ := values.ReadToken()
	switch token.Kind() { //nolint:exhaustive // the others are true and false
	case 'n':
		return "nil"
	case '"':
		return strconv.Quote(token.String())
	case '[':
		var all []string
		for values.PeekKind() != ']' {
			all = append(all, literal(values))
		}
		_, _ = values.ReadToken()
		return "[]any{" + strings.Join(all, ", ") + "}"
	case '{':
		var all []string
		for values.PeekKind() != '}' {
			name, _ := values.ReadToken()
			all = append(all, fmt.Sprintf("%q: %s", name.String(), literal(values)))
		}
		_, _ = values.ReadToken()
		return "map[string]any{" + strings.Join(all, ", ") + "}"
	case '0':
		return number(token.String())
	}
	return token.String()
}

// number returns a number of JSON as Go writes it: a whole one that no int has is a float, and one
// that no float has is a text.
func number(digits string) string {
	if _, err := strconv.ParseInt(digits, 10, 64); err == nil {
		return digits
	}
	if _, err := strconv.ParseFloat(digits, 64); err != nil {
		return strconv.Quote(digits)
	}
	if strings.ContainsAny(digits, ".eE") {
		return digits
	}
	return digits + ".0"
}
