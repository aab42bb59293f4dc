package report

import (
	"fmt"
	"math"
)

// Budget is one promise about a path and what was measured of it.
type Budget struct {
	// What names the two things compared, or the one counted.
	What string
	// Measured and Limit are in the unit. A Measured of NaN means that there was nothing to measure.
	Measured, Limit float64
	// AtLeast says that more is better; otherwise less is.
	AtLeast bool
	// Unit follows the numbers.
	Unit string
}

// Allowed is the limit as text.
func (b Budget) Allowed() string {
	sign := "≤"
	if b.AtLeast {
		sign = "≥"
	}
	return sign + " " + number(b.Limit) + b.Unit
}

// Actual is the measured number as text.
func (b Budget) Actual() string {
	if math.IsNaN(b.Measured) {
		return "–"
	}
	return number(b.Measured) + b.Unit
}

// Verdict is "met", "missed by x %" or "not measured". The x says by how much the number would have to shrink, or grow
// if more is better, in parts of what is allowed.
func (b Budget) Verdict() string {
	over := b.Measured/b.Limit - 1
	if b.AtLeast {
		over = b.Limit/b.Measured - 1
	}
	switch {
	case math.IsNaN(over):
		return "not measured"
	case over <= 0:
		return "met"
	default:
		return fmt.Sprintf("**missed by %.0f %%**", math.Ceil(over*100))
	}
}

// number has about three digits.
func number(v float64) string {
	switch size := math.Abs(v); {
	case v == math.Trunc(v):
		return fmt.Sprintf("%.0f", v)
	case size >= 100:
		return fmt.Sprintf("%.0f", v)
	case size >= 10:
		return fmt.Sprintf("%.1f", v)
	case size >= 0.1:
		return fmt.Sprintf("%.2f", v)
	default:
		return fmt.Sprintf("%.2g", v)
	}
}
