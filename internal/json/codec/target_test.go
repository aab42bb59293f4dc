package codec_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/internal/json/codec"
)

func TestATargetMustAcceptObjects(t *testing.T) {
	t.Parallel()
	type in struct{ A int }
	var none *in
	var raw codec.Value
	for want, target := range map[string]any{
		"<nil> is not a pointer to a struct; pass the address of one":          nil,
		"codec_test.in is not a pointer to a struct; pass the address of one":  in{},
		"*codec_test.in is not a pointer to a struct; pass the address of one": none,
		"*string is not a pointer to a struct; pass the address of one":        new(string),
		"*[]int is not a pointer to a struct; pass the address of one":         new([]int),
	} {
		if err := codec.CheckTarget(target); err == nil || err.Error() != want {
			t.Errorf("%T: got %v, want %s", target, err, want)
		}
	}
	for _, target := range []any{&in{}, &none, new(map[string]int), new(any), &raw} {
		if err := codec.CheckTarget(target); err != nil {
			t.Errorf("%T: %v", target, err)
		}
	}
}
