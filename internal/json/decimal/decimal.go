// Package decimal compares JSON numbers of any size exactly, as decimals. A float64 would
// round them.
package decimal

import (
	"cmp"
	"math/bits"
	"strconv"
)

// A Decimal is the exact value of a JSON number: ±0.d₁d₂… × 10^exponent. It refers to the
// digits of the parsed text, so that parsing doesn't allocate. Comparing takes time linear in
// the number of digits and independent of the exponents.
type Decimal struct {
	negative bool
	digits   []byte // the significant digits, with an optional dot between them; empty for zero
	count    int    // the number of digits
	exponent int
}

// maxExponent is the value at which exponents saturate. No mantissa is long enough to
// compensate for it.
const maxExponent = 1 << 40

// Parse reads a valid JSON number.
func Parse(text []byte) Decimal {
	var d Decimal
	if text[0] == '-' {
		d.negative = true
		text = text[1:]
	}
	mantissa, exponent := text, 0
	for i, c := range text {
		if c|0x20 == 'e' {
			mantissa, exponent = text[:i], parseExponent(text[i+1:])
			break
		}
	}
	point := len(mantissa) // the number of digits before the dot
	for i, c := range mantissa {
		if c == '.' {
			point = i
			break
		}
	}
	start, leading := 0, 0 // leading counts zeros, start also counts the dot
	for start < len(mantissa) && (mantissa[start] == '0' || mantissa[start] == '.') {
		if mantissa[start] == '0' {
			leading++
		}
		start++
	}
	end := len(mantissa)
	for end > start && (mantissa[end-1] == '0' || mantissa[end-1] == '.') {
		end--
	}
	if start == end {
		return Decimal{}
	}
	d.digits, d.count = mantissa[start:end], end-start
	if start < point && end > point {
		d.count-- // the dot
	}
	d.exponent = min(max(exponent+point-leading, -maxExponent), maxExponent)
	return d
}

func parseExponent(text []byte) int {
	sign := 1
	switch text[0] {
	case '-':
		sign, text = -1, text[1:]
	case '+':
		text = text[1:]
	}
	value := 0
	for _, c := range text {
		value = min(value*10+int(c-'0'), maxExponent)
	}
	return sign * value
}

// IsInteger reports whether d has no fractional part.
func (d Decimal) IsInteger() bool { return d.exponent >= d.count }

// Compare returns -1 if d is less than other, 0 if they are equal, and +1 if d is greater.
func (d Decimal) Compare(other Decimal) int {
	sign := d.Sign()
	if sign == 0 || sign != other.Sign() {
		return cmp.Compare(sign, other.Sign())
	}
	return sign * d.magnitude(other)
}

// Sign returns -1 if d is negative, 0 if it is zero, and +1 if it is positive.
func (d Decimal) Sign() int {
	switch {
	case d.count == 0:
		return 0
	case d.negative:
		return -1
	}
	return 1
}

// Digits returns the number of significant digits.
func (d Decimal) Digits() int { return d.count }

// magnitude compares the absolute values of two nonzero numbers.
func (d Decimal) magnitude(other Decimal) int {
	if d.exponent != other.exponent {
		return cmp.Compare(d.exponent, other.exponent)
	}
	i, j := 0, 0
	for i < len(d.digits) && j < len(other.digits) {
		a, b := d.digits[i], other.digits[j]
		switch {
		case a == '.':
			i++
			continue
		case b == '.':
			j++
			continue
		case a < b:
			return -1
		case a > b:
			return 1
		}
		i, j = i+1, j+1
	}
	return cmp.Compare(d.count, other.count)
}

// MaxStepDigits is the maximum number of digits of a step for [Decimal.MultipleOf]. With more,
// remainders would not fit 64 bits.
const MaxStepDigits = 17

// MultipleOf reports whether d is an integer multiple of step, which must not be zero and may
// have at most MaxStepDigits digits.
//
// Let d = D×10^a and step = S×10^b, where neither D nor S ends in zero. If a < b, d is not a
// multiple, since 10 doesn't divide D. Otherwise d is a multiple if S divides D×10^(a-b).
func (d Decimal) MultipleOf(step Decimal) bool {
	if d.count == 0 {
		return true
	}
	shift := (d.exponent - d.count) - (step.exponent - step.count)
	if shift < 0 {
		return false
	}
	divisor := step.coefficient(1 << 62)
	return multiplyModulo(d.coefficient(divisor), powerModulo(10, shift, divisor), divisor) == 0
}

// coefficient returns the integer with d's digits, modulo a number that is below 2^59 or
// greater than the integer.
func (d Decimal) coefficient(modulo uint64) uint64 {
	var value uint64
	for _, c := range d.digits {
		if c != '.' {
			value = (value*10 + uint64(c-'0')) % modulo
		}
	}
	return value
}

func multiplyModulo(a, b, modulo uint64) uint64 {
	high, low := bits.Mul64(a, b)
	_, remainder := bits.Div64(high%modulo, low, modulo)
	return remainder
}

func powerModulo(base uint64, exponent int, modulo uint64) uint64 {
	result := 1 % modulo
	for base %= modulo; exponent > 0; exponent >>= 1 {
		if exponent&1 == 1 {
			result = multiplyModulo(result, base, modulo)
		}
		base = multiplyModulo(base, base, modulo)
	}
	return result
}

// Append appends the canonical text of d, which equal numbers share.
func (d Decimal) Append(dst []byte) []byte {
	if d.count == 0 {
		return append(dst, '0')
	}
	if d.negative {
		dst = append(dst, '-')
	}
	for _, c := range d.digits {
		if c != '.' {
			dst = append(dst, c)
		}
	}
	if shift := d.exponent - d.count; shift != 0 {
		dst = append(dst, 'e')
		dst = strconv.AppendInt(dst, int64(shift), 10)
	}
	return dst
}

// AppendInteger appends an integer without an exponent. It reports false if d isn't an
// integer or has too many digits.
func (d Decimal) AppendInteger(dst []byte) ([]byte, bool) {
	const longest = 40
	if !d.IsInteger() || d.exponent > longest {
		return dst, false
	}
	if d.count == 0 {
		return append(dst, '0'), true
	}
	if d.negative {
		dst = append(dst, '-')
	}
	for _, c := range d.digits {
		if c != '.' {
			dst = append(dst, c)
		}
	}
	for range d.exponent - d.count {
		dst = append(dst, '0')
	}
	return dst, true
}

// ParseShort reads an integer of at most 18 digits.
func ParseShort(text []byte) (value int64, ok bool) {
	digits := text
	if len(digits) > 0 && digits[0] == '-' {
		digits = digits[1:]
	}
	if len(digits) == 0 || len(digits) > 18 {
		return 0, false
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		value = value*10 + int64(c-'0')
	}
	if text[0] == '-' {
		value = -value
	}
	return value, true
}
