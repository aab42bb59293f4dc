package measure_test

import (
	"math"
	"testing"

	"github.com/bowline-mcp/bowline/peers/bench/measure"
)

func TestMedian(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		values []float64
		want   float64
	}{
		{"one value is its own median", []float64{4}, 4},
		{"an odd number has a middle", []float64{9, 1, 5}, 5},
		{"an even number has the mean of the two in the middle", []float64{8, 1, 2, 100}, 5},
	} {
		if got := measure.Median(test.values); got != test.want {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
	if got := measure.Median(nil); !math.IsNaN(got) {
		t.Errorf("nothing has no median: got %v", got)
	}
}
