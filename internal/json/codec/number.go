package codec

import (
	"strconv"
	"strings"

	"github.com/bowline-mcp/bowline/internal/json/decimal"
)

// Int returns the exact value of a JSON integer, such as 3 or 3.0. It reports false if the
// value isn't an integer or doesn't fit.
func Int(value []byte) (int, bool) {
	if n, err := strconv.Atoi(string(value)); err == nil {
		return n, true
	}
	if !IsNumber(value) {
		return 0, false
	}
	whole, _ := decimal.Parse(value).AppendInteger(nil)
	n, err := strconv.Atoi(string(whole))
	if err != nil {
		return 0, false
	}
	return n, true
}

// Float returns the float64 that is nearest to a JSON number. It reports false if the value
// isn't a number, or is beyond the range of float64.
func Float(value []byte) (float64, bool) {
	if !IsNumber(value) {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(value), 64)
	if err != nil {
		return 0, false
	}
	return f, true
}

// IsNumber reports whether a JSON value is a number.
func IsNumber(value []byte) bool {
	return len(value) > 0 && (value[0] == '-' || '0' <= value[0] && value[0] <= '9')
}

// WholeNumbers rewrites integers without fraction, exponent or the sign of -0, such as 3.0 as
// 3, so that they can be decoded into Go integers. It reports false if there are none. It keeps
// integers of more than 40 digits, which fit no Go integer.
func WholeNumbers(data []byte) ([]byte, bool) {
	var out []byte
	last := 0
	d := NewDecoder(data)
	for {
		token, err := d.ReadToken()
		if err != nil { // the end, or invalid JSON
			break
		}
		if token.Kind() != '0' {
			continue
		}
		text := token.String()
		if !strings.ContainsAny(text, ".eE") && text != "-0" { // which no unsigned integer takes
			continue
		}
		whole, ok := decimal.Parse([]byte(text)).AppendInteger(nil)
		if !ok {
			continue
		}
		end := int(d.InputOffset())
		out = append(append(out, data[last:end-len(text)]...), whole...)
		last = end
	}
	return append(out, data[last:]...), last > 0
}
