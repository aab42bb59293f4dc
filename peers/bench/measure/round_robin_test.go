package measure_test

import (
	"errors"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/peers/bench/measure"
)

// sink keeps the compiler from dropping the allocations that the tests count.
type sink struct{ kept []byte }

func TestRoundRobinCountsTheHeapExactly(t *testing.T) {
	var s sink
	allocate := func(n int) error {
		for range n {
			s.kept = make([]byte, 512)
			s.kept = make([]byte, 64)
		}
		return nil
	}
	nothing := func(int) error { return nil }
	results, err := measure.RoundRobin(measure.Settings{Rounds: 2, Time: time.Millisecond}, []measure.Variant{
		{Name: "two", Run: func(n int) error { time.Sleep(time.Microsecond); return allocate(n) }},
		{Name: "elsewhere", Run: func(n int) error { time.Sleep(time.Duration(n) * time.Microsecond); return nothing(n) }, Elsewhere: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	if two := results[0]; two.Bytes != 576 || two.Allocs != 2 {
		t.Errorf("got %d bytes in %d allocations, want 576 in 2", two.Bytes, two.Allocs)
	}
	if other := results[1]; other.Bytes != -1 || other.Allocs != -1 {
		t.Errorf("got %d bytes in %d allocations of another process, want none", other.Bytes, other.Allocs)
	}
}

func TestRoundRobinTakesTheTimeThatOnceReports(t *testing.T) {
	t.Parallel()
	times := []time.Duration{99, 5, 1, 3} // the first is the warm-up
	calls := 0
	results, err := measure.RoundRobin(measure.Settings{Rounds: 3}, []measure.Variant{{Name: "once", Elsewhere: true,
		Once: func() (time.Duration, error) { calls++; return times[calls-1], nil }}})
	if err != nil {
		t.Fatal(err)
	}
	if r := results[0]; r.Wall != 3 || r.Min != 1 || r.Max != 5 {
		t.Errorf("got median %d, least %d, most %d, want 3, 1, 5", r.Wall, r.Min, r.Max)
	}
}

func TestRoundRobinNamesTheVariantThatFails(t *testing.T) {
	t.Parallel()
	broken := errors.New("no answer")
	_, err := measure.RoundRobin(measure.Settings{Rounds: 1, Time: time.Millisecond},
		[]measure.Variant{{Name: "broken", Run: func(int) error { return broken }}})
	if !errors.Is(err, broken) || err.Error() != "broken: no answer" {
		t.Errorf("got %v", err)
	}
}
