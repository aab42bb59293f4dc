package jsonschema

import (
	"cmp"
	"errors"
	"math"
	"strconv"

	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/decimal"
)

// newBound parses the text of a JSON number.
func newBound(text []byte) *bound {
	b := &bound{text: string(text), decimal: decimal.Parse(text)}
	if plain, ok := b.decimal.AppendInteger(nil); ok {
		b.short, b.isShort = decimal.ParseShort(plain)
	}
	return b
}

// A measured number is a number in the data. Unless it is a short integer, its methods parse
// it as a decimal.
type measured struct {
	text    []byte
	short   int64
	isShort bool
}

func measure(text []byte, plain bool) measured {
	m := measured{text: text}
	if plain {
		m.short, m.isShort = decimal.ParseShort(text)
	}
	return m
}

// compare returns -1 if the number is less than the bound, 0 if they are equal, and +1 if it
// is greater.
func (m measured) compare(b *bound) int {
	if m.isShort && b.isShort {
		return cmp.Compare(m.short, b.short)
	}
	return decimal.Parse(m.text).Compare(b.decimal)
}

// multipleOf reports whether the number is an integer multiple of a step, which must be
// greater than zero.
func (m measured) multipleOf(step *bound) bool {
	if m.isShort && step.isShort {
		return m.short%step.short == 0
	}
	return decimal.Parse(m.text).MultipleOf(step.decimal)
}

// goCheck checks the parts of the rule that need the number as a Go value.
func (n *numberRule) goCheck(text []byte) error {
	if n.fits == Float64 || n.fits == Float32 {
		value, ok := codec.Float(text)
		switch {
		case !ok:
			return errors.New("must fit a 64-bit floating-point number")
		case n.fits == Float32 && math.IsInf(float64(float32(value)), 0):
			return errors.New("must fit a 32-bit floating-point number")
		case n.checkNumber == nil:
			return nil
		}
		return n.checkNumber(value)
	}
	if short, ok := decimal.ParseShort(text); ok && short >= 0 && short < 1<<53 {
		if n.checkInt == nil {
			return nil
		}
		return n.checkInt(short)
	}
	plain, ok := decimal.Parse(text).AppendInteger(nil)
	if !ok {
		return errors.New("must be an integer of at most 64 bits")
	}
	const most = 1<<53 - 1
	value, err := strconv.ParseInt(string(plain), 10, 64)
	_, unsigned := strconv.ParseUint(string(plain), 10, 64)
	switch {
	case n.safe && (err != nil || value > most || value < -most):
		return errors.New("must be an integer from -9007199254740991 to 9007199254740991")
	case n.fits == Unsigned64 && unsigned != nil:
		return errors.New("must be an integer from 0 to 18446744073709551615")
	case n.fits == Signed64 && err != nil:
		return errors.New("must be an integer from -9223372036854775808 to 9223372036854775807")
	case n.checkInt == nil:
		return nil
	}
	return n.checkInt(value)
}
