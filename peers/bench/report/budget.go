package report

import (
	"fmt"
	"math"
)

// Budget is one limit for a path, and the measured value.
type Budget struct {
	// What names the variants that are compared, or the thing that is counted.
	What string
	// Measured and Limit are in the unit. A Measured of NaN means that the value is missing.
	Measured, Limit float64
	// AtLeast means that Limit is a minimum. Otherwise it is a maximum.
	AtLeast bool
	// Unit is printed after the numbers.
	Unit string
}

// Allowed returns the limit as text.
func (b Budget) Allowed() string {
	sign := "≤"
	if b.AtLeast {
		sign = "≥"
	}
	return sign + " " + number(b.Limit) + b.Unit
}

// Actual returns the measured number as text.
func (b Budget) Actual() string {
	if math.IsNaN(b.Measured) {
		return "–"
	}
	return number(b.Measured) + b.Unit
}

// Verdict returns "met", "missed by x %" or "not measured". The x is by how much the number exceeds
// the limit, in percent of the limit. For a minimum, it is by how much the number would have to grow.
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

// number formats a number with about three digits.
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
