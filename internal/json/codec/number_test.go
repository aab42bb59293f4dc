package codec_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/internal/json/codec"
)

func TestIntTakesWholeNumbersThatFit(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]int{"0": 0, "-3": -3, "3.0": 3, "30e-1": 3, "9223372036854775807": 1<<63 - 1, "9007199254740993.0": 9007199254740993, "-9223372036854775808.00": -1 << 63, "9007199254740993e0": 9007199254740993, "-0.0": 0} {
		if got, ok := codec.Int([]byte(value)); !ok || got != want {
			t.Errorf("Int(%s) = %d, %t", value, got, ok)
		}
	}
	for _, value := range []string{"", "3.5", `"3"`, "true", "null", "[]", "9223372036854775808", "9223372036854775808.0", "-9223372036854775809", "1e400", "1e18446744073709551616", "1e-400"} {
		if got, ok := codec.Int([]byte(value)); ok || got != 0 {
			t.Errorf("Int(%s) = %d, %t", value, got, ok)
		}
	}
}

func TestFloatTakesNumbersThatFit(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]float64{"0": 0, "-3": -3, "2.5": 2.5, "1e308": 1e308, "9007199254740993": 1 << 53} { // the nearest float64
		if got, ok := codec.Float([]byte(value)); !ok || got != want {
			t.Errorf("Float(%s) = %v, %t", value, got, ok)
		}
	}
	for _, value := range []string{"", `"3"`, "true", "null", "[]", "1e400", "-1e309"} {
		if got, ok := codec.Float([]byte(value)); ok || got != 0 {
			t.Errorf("Float(%s) = %v, %t", value, got, ok)
		}
	}
}

func TestWholeNumbersAreWrittenAsIntegers(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]string{
		`3.0`:                             `3`,
		`["a",1,2.5,3.0]`:                 `["a",1,2.5,3]`,
		`{"a":3.0,"b":[30e-1, -2.0,2.5]}`: `{"a":3,"b":[3, -2,2.5]}`,
		` {"3.0":"3.0","c":1E2} `:         ` {"3.0":"3.0","c":100} `,
		`9007199254740991.0`:              `9007199254740991`,
		`9007199254740993.0`:              `9007199254740993`,
		`[-9007199254740993.0]`:           `[-9007199254740993]`,
	} {
		if got, found := codec.WholeNumbers([]byte(data)); !found || string(got) != want {
			t.Errorf("WholeNumbers(%s) = %s, %t, want %s", data, got, found, want)
		}
	}
	// Other values, and integers with too many digits, don't change.
	for _, data := range []string{``, `3`, `"3.0"`, `2.5`, `[1,{"a":null}]`, `1e300`, `{"a"`} {
		if got, found := codec.WholeNumbers([]byte(data)); found || string(got) != data {
			t.Errorf("WholeNumbers(%s) = %s, %t", data, got, found)
		}
	}
}
