package report_test

import (
	"math"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/peers/bench/measure"
	"github.com/bowline-mcp/bowline/peers/bench/report"
)

func TestVerdict(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		budget report.Budget
		want   string
	}{
		{"at the limit", report.Budget{Measured: 0.6, Limit: 0.6}, "met"},
		{"over the limit", report.Budget{Measured: 0.72, Limit: 0.6}, "**missed by 20 %**"},
		{"a little over is not rounded away", report.Budget{Measured: 1.1001, Limit: 1.1}, "**missed by 1 %**"},
		{"more than at least", report.Budget{Measured: 25, Limit: 20, AtLeast: true}, "met"},
		{"less than at least", report.Budget{Measured: 16, Limit: 20, AtLeast: true}, "**missed by 25 %**"},
		{"nothing to measure", report.Budget{Measured: math.NaN(), Limit: 1}, "not measured"},
	} {
		if got := test.budget.Verdict(); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

func TestReportPrintsATable(t *testing.T) {
	t.Parallel()
	r := report.Report{Title: "title", Note: "note", Floor: "floor", Results: []measure.Result{
		{Name: "floor", Wall: 4 * time.Microsecond, Min: 3 * time.Microsecond, Max: 5 * time.Microsecond, Bytes: 100, Allocs: 10},
		{Name: report.Bowline, Wall: 2 * time.Microsecond, Min: time.Microsecond, Max: 3 * time.Microsecond, Bytes: 50, Allocs: 5},
	}}
	r.Budgets = []report.Budget{
		{What: "bowline to floor", Measured: r.Ratio(report.Bowline, "floor"), Limit: 0.6, Unit: "×"},
		{What: "bowline", Measured: r.Rate(report.Bowline), Limit: 400_000, AtLeast: true, Unit: "/s"},
	}
	want := `### title

note

| variant | wall µs | min–max | × floor | × bowline | B/op | allocs/op |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
| floor | 4 | 3–5 | 1 | 2 | 100 | 10 |
| bowline | 2 | 1–3 | 0.50 | 1 | 50 | 5 |

- bowline to floor: 0.50×, budget ≤ 0.60×: met
- bowline: 500000/s, budget ≥ 400000/s: met

`
	if got := r.Markdown(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestMissingMeasurementsAreNaN(t *testing.T) {
	t.Parallel()
	r := report.Report{Floor: "floor", Results: []measure.Result{{Name: "floor", Wall: time.Microsecond, Allocs: -1}}}
	for name, got := range map[string]float64{
		"ratio": r.Ratio("absent", "absent"), "difference": r.Difference("absent", "floor"),
		"rate": r.Rate("absent"), "allocs": r.Allocs("floor"), "allocs of an absent one": r.Allocs("absent"),
	} {
		if !math.IsNaN(got) {
			t.Errorf("%s: got %v, want NaN", name, got)
		}
	}
}
