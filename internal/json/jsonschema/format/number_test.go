package format_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/internal/json/jsonschema/format"
)

func TestTextsOfGoTypes(t *testing.T) {
	t.Parallel()
	for name, texts := range map[string]map[string]bool{
		"int8":    {"0": true, "-128": true, "127": true, "-0": true, "128": false, "-129": false, "01": false, "+1": false, "1.0": false, "": false, "-": false, "1e1": false, "0x1": false, "1_0": false},
		"int64":   {"-9223372036854775808": true, "9223372036854775808": false},
		"uint8":   {"0": true, "255": true, "256": false, "-0": false, "-1": false, "00": false},
		"uint64":  {"18446744073709551615": true, "18446744073709551616": false},
		"float32": {"0": true, "-1.5e3": true, "3.4e38": true, "3.5e38": false, "NaN": false, "Inf": false, "0x1p2": false, "1.": false, ".5": false, "01.5": false},
		"float64": {"1e308": true, "1e309": false, "-1e-400": true},
		"time":    {"2026-01-31T09:30:00Z": true, "2026-01-31T09:30:00.5+23:59": true, "2026-01-31t09:30:00Z": false, "2026-01-31T09:30:00z": false, "2016-12-31T23:59:60Z": false, "2016-12-31T23:59:6": false, "": false},
		"int":     {"x": true},
		"integer": {"x": true},
		"float":   {"x": true},
	} {
		for text, want := range texts {
			if got := format.Matches(name, []byte(text)); got != want {
				t.Errorf("%s: %q matches: %t", name, text, got)
			}
		}
	}
	for name, want := range map[string]string{
		"int8": "an integer from -128 to 127, as text", "int32": "an integer from -2147483648 to 2147483647, as text", "int64": "an integer of 64 bits, as text",
		"uint8": "an integer from 0 to 255, as text", "uint32": "an integer from 0 to 4294967295, as text", "uint64": "an integer of 64 bits that is not negative, as text",
		"float32": "a number of 32 bits, as text", "time": "a date and time such as 2026-01-31T09:30:00Z, with capital letters and no leap second", "integer": "",
	} {
		if got := format.Describe(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}
