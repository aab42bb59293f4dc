// Package report prints measurements as Markdown.
package report

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/peers/bench/measure"
)

// Bowline is the name of Bowline's own variant on every path.
const Bowline = "bowline"

// Report is the table and the budgets of one path.
type Report struct {
	// Title is the title of the table. Note explains it in a sentence or two.
	Title, Note string
	Results     []measure.Result
	// Floor names the variant by which the others are divided.
	Floor string
	// ByCPU divides CPU times instead of wall times. ByMemory divides the memory of streams.
	ByCPU, ByMemory bool
	Budgets         []Budget
}

// Ratio returns the time or memory of one variant divided by that of another, or NaN if either was
// not measured.
func (r *Report) Ratio(of, to string) float64 {
	return r.measured(of) / r.measured(to)
}

// Difference returns the time of one variant minus that of another, in microseconds, or NaN if
// either was not measured.
func (r *Report) Difference(of, to string) float64 {
	if r.measured(of) == 0 || r.measured(to) == 0 {
		return math.NaN()
	}
	return micros(time.Duration(r.measured(of) - r.measured(to)))
}

// Rate returns how often a variant is done in a second, or NaN if it was not measured.
func (r *Report) Rate(of string) float64 {
	if r.measured(of) == 0 {
		return math.NaN()
	}
	return float64(time.Second) / r.measured(of)
}

// Allocs returns the number of allocations of a variant, or NaN if it was not measured.
func (r *Report) Allocs(of string) float64 {
	result, err := measure.Find(r.Results, of)
	if err != nil || result.Allocs < 0 {
		return math.NaN()
	}
	return float64(result.Allocs)
}

// measured returns nanoseconds or bytes, or 0 for a variant that was not measured; 0/0 is NaN.
func (r *Report) measured(name string) float64 {
	result, err := measure.Find(r.Results, name)
	if err != nil {
		return 0
	}
	return r.of(result)
}

func (r *Report) of(result measure.Result) float64 {
	switch {
	case r.ByMemory:
		return float64(result.Held)
	case r.ByCPU:
		return float64(result.CPU)
	}
	return float64(result.Wall)
}

// Markdown returns the title, the note, the table and the verdicts.
func (r *Report) Markdown() string {
	w := &strings.Builder{}
	fmt.Fprintf(w, "### %s\n\n%s\n\n", r.Title, r.Note)
	columns := r.columns()
	var heads, rules []string
	for i, c := range columns {
		rule := "---:"
		if i == 0 {
			rule = "---"
		}
		heads, rules = append(heads, c.head), append(rules, rule)
	}
	row(w, heads)
	row(w, rules)
	for _, result := range r.Results {
		var cells []string
		for _, c := range columns {
			cells = append(cells, c.cell(result))
		}
		row(w, cells)
	}
	fmt.Fprintln(w)
	for _, b := range r.Budgets {
		fmt.Fprintf(w, "- %s: %s, budget %s: %s\n", b.What, b.Actual(), b.Allowed(), b.Verdict())
	}
	if len(r.Budgets) > 0 {
		fmt.Fprintln(w)
	}
	return w.String()
}

type column struct {
	head string
	cell func(measure.Result) string
}

// columns returns the columns that are not empty.
func (r *Report) columns() []column {
	var cpu, p50, heap bool
	for _, result := range r.Results {
		cpu, p50, heap = cpu || result.CPU > 0, p50 || result.P50 > 0, heap || result.Allocs >= 0
	}
	columns := []column{{"variant", func(m measure.Result) string { return m.Name }}}
	if r.ByMemory {
		return append(columns,
			column{"KiB a stream", func(m measure.Result) string { return number(float64(m.Held) / 1024) }},
			column{"× " + r.Floor, func(m measure.Result) string { return r.times(m, r.Floor) }})
	}
	if cpu {
		columns = append(columns, column{"CPU µs", func(m measure.Result) string { return duration(m.CPU) }})
	}
	columns = append(columns,
		column{"wall µs", func(m measure.Result) string { return duration(m.Wall) }},
		column{"min–max", func(m measure.Result) string { return duration(m.Min) + "–" + duration(m.Max) }})
	if p50 {
		columns = append(columns, column{"p50 µs", func(m measure.Result) string { return duration(m.P50) }})
	}
	columns = append(columns,
		column{"× " + r.Floor, func(m measure.Result) string { return r.times(m, r.Floor) }},
		column{"× " + Bowline, func(m measure.Result) string { return r.times(m, Bowline) }})
	if heap {
		columns = append(columns,
			column{"B/op", func(m measure.Result) string { return count(m.Bytes) }},
			column{"allocs/op", func(m measure.Result) string { return count(m.Allocs) }})
	}
	return columns
}

func (r *Report) times(result measure.Result, base string) string {
	ratio := r.of(result) / r.measured(base)
	if math.IsNaN(ratio) || math.IsInf(ratio, 0) {
		return "–"
	}
	return number(ratio)
}

// Summary returns one table with the budgets of all paths.
func Summary(reports []*Report) string {
	w := &strings.Builder{}
	fmt.Fprint(w, "### Budgets\n\n")
	row(w, []string{"path", "what", "measured", "budget", "verdict"})
	row(w, []string{"---", "---", "---:", "---:", "---"})
	for _, r := range reports {
		for _, b := range r.Budgets {
			row(w, []string{r.Title, b.What, b.Actual(), b.Allowed(), b.Verdict()})
		}
	}
	return w.String()
}

func row(w *strings.Builder, cells []string) { fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | ")) }

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

func duration(d time.Duration) string { return number(micros(d)) }

func count(n int64) string {
	if n < 0 {
		return "–"
	}
	return fmt.Sprint(n)
}
