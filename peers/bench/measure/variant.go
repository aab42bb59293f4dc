// Package measure times variants of one path against each other: every variant once a round, so that drift of the
// machine hits all alike, and medians over the rounds.
package measure

import (
	"errors"
	"time"
)

// Variant is one way to do the same work.
type Variant struct {
	// Name heads the variant's row.
	Name string
	// Run does n operations one after another.
	Run func(n int) error
	// Once, if set, does one operation and times it, in place of Run: for work whose tidying up must not count.
	Once func() (time.Duration, error)
	// CPU, if set, returns the processor time that the measured process has used so far.
	CPU func() (time.Duration, error)
	// P50, if set, returns the median time of the operations since it was last called.
	P50 func() time.Duration
	// Elsewhere says that the work happens in another process, so that allocations here mean nothing.
	Elsewhere bool
}

// Settings say how long to measure.
type Settings struct {
	// Rounds is how often each variant is measured.
	Rounds int
	// Time is how long one measurement takes.
	Time time.Duration
}

// Result is what was measured of one variant; times are medians over the rounds, per operation.
type Result struct {
	Name           string
	Wall, Min, Max time.Duration
	CPU, P50       time.Duration
	// Bytes and Allocs are exact heap numbers per operation, or -1 if the work happens elsewhere.
	Bytes, Allocs int64
	// Held is how many bytes one open stream takes up, if that is what was measured.
	Held int64
}

// Find returns the result of that name.
func Find(results []Result, name string) (Result, error) {
	for _, r := range results {
		if r.Name == name {
			return r, nil
		}
	}
	return Result{}, errors.New("no result named " + name)
}
