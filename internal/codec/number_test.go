package codec_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/internal/codec"
)

func TestIntTakesWholeNumbersThatFit(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]int{"0": 0, "-3": -3, "3.0": 3, "30e-1": 3, "9223372036854775807": 1<<63 - 1} {
		if got, ok := codec.Int([]byte(value)); !ok || got != want {
			t.Errorf("Int(%s) = %d, %t", value, got, ok)
		}
	}
	for _, value := range []string{"", "3.5", `"3"`, "true", "null", "[]", "9223372036854775808", "1e400"} {
		if got, ok := codec.Int([]byte(value)); ok || got != 0 {
			t.Errorf("Int(%s) = %d, %t", value, got, ok)
		}
	}
}
