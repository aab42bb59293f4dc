package codec

import (
	"math"
	"strconv"
)

// Int returns the whole number that a JSON value is, and false when it isn't one or
// doesn't fit. 3.0 is one.
func Int(value []byte) (int, bool) {
	if n, err := strconv.Atoi(string(value)); err == nil {
		return n, true
	}
	if f, err := strconv.ParseFloat(string(value), 64); err == nil && f >= math.MinInt64 && f < math.MaxInt64 && f == float64(int(f)) {
		return int(f), true
	}
	return 0, false
}
