package codec

import (
	"math"
	"strconv"
	"strings"
)

// Int returns the value of a JSON integer. It reports false if the value isn't one or
// doesn't fit. 3.0 is an integer.
func Int(value []byte) (int, bool) {
	if n, err := strconv.Atoi(string(value)); err == nil {
		return n, true
	}
	if f, err := strconv.ParseFloat(string(value), 64); err == nil && f >= math.MinInt64 && f < math.MaxInt64 && f == float64(int(f)) {
		return int(f), true
	}
	return 0, false
}

// WholeNumbers returns data with its integers written without fraction or exponent: 3.0
// as 3. It reports false if there is none to change. It keeps integers of 2^53 or more,
// since their conversion may not be exact.
func WholeNumbers(data []byte) ([]byte, bool) {
	const exact = 1 << 53
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
		f, err := strconv.ParseFloat(text, 64)
		if err != nil || f != math.Trunc(f) || math.Abs(f) >= exact || !strings.ContainsAny(text, ".eE") {
			continue
		}
		end := int(d.InputOffset())
		out = strconv.AppendInt(append(out, data[last:end-len(text)]...), int64(f), 10)
		last = end
	}
	return append(out, data[last:]...), last > 0
}
