// Package measure compares the times of variants of one path. It measures each variant once per
// round, so that changes of the machine's speed affect all alike, and takes the medians of the
// rounds.
package measure

import (
	"errors"
	"time"
)

// Variant is one way to do the same work.
type Variant struct {
	// Name is the title of the variant's row.
	Name string
	// Run does n operations one after another.
	Run func(n int) error
	// Once, if set, does one operation and returns its time. It replaces Run if cleaning up
	// must not count.
	Once func() (time.Duration, error)
	// CPU, if set, returns the CPU time that the measured process has used so far.
	CPU func() (time.Duration, error)
	// P50, if set, returns the median time of the operations since the last call.
	P50 func() time.Duration
	// Elsewhere means that the work happens in another process, so that allocations in this
	// one are irrelevant.
	Elsewhere bool
}

// Settings define how long to measure.
type Settings struct {
	// Rounds is how often each variant is measured.
	Rounds int
	// Time is how long one measurement takes.
	Time time.Duration
}

// Result is the measurement of one variant. Times are medians of the rounds, per operation.
type Result struct {
	Name           string
	Wall, Min, Max time.Duration
	CPU, P50       time.Duration
	// Bytes and Allocs are exact heap numbers per operation, or -1 if the work happens elsewhere.
	Bytes, Allocs int64
	// Held is how many bytes of memory one open stream needs, if that was measured.
	Held int64
}

// Find returns the result with a name.
func Find(results []Result, name string) (Result, error) {
	for _, r := range results {
		if r.Name == name {
			return r, nil
		}
	}
	return Result{}, errors.New("no result named " + name)
}
