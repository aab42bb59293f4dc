package measure

import (
	"fmt"
	"runtime"
	"slices"
	"time"
)

// RoundRobin measures all variants in turn, and returns their results in order.
func RoundRobin(settings Settings, variants []Variant) ([]Result, error) {
	counts := make([]int, len(variants))
	samples := make([][]sample, len(variants))
	for i, v := range variants {
		n, err := calibrate(v, settings.Time)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", v.Name, err)
		}
		counts[i] = n
	}
	for round := range settings.Rounds {
		for step := range variants {
			i := (round + step) % len(variants) // so that no variant always runs after the same other one
			s, err := once(variants[i], counts[i])
			if err != nil {
				return nil, fmt.Errorf("%s: %w", variants[i].Name, err)
			}
			samples[i] = append(samples[i], s)
		}
	}
	results := make([]Result, len(variants))
	for i, v := range variants {
		r := summarize(v.Name, samples[i])
		r.Bytes, r.Allocs = -1, -1
		if !v.Elsewhere {
			var err error
			if r.Bytes, r.Allocs, err = heap(v, counts[i]); err != nil {
				return nil, fmt.Errorf("%s: %w", v.Name, err)
			}
		}
		results[i] = r
	}
	return results, nil
}

type sample struct{ wall, cpu, p50 float64 } // nanoseconds per operation

// calibrate warms up the variant, and returns how many operations fill one measurement.
func calibrate(v Variant, target time.Duration) (int, error) {
	if v.Once != nil {
		_, err := v.Once()
		return 1, err
	}
	for n := 1; ; n *= 2 {
		start := time.Now()
		if err := v.Run(n); err != nil {
			return 0, err
		}
		if took := time.Since(start); took >= target/8 {
			return max(1, int(float64(n)*float64(target)/float64(took))), nil
		}
	}
}

func once(v Variant, n int) (sample, error) {
	runtime.GC()
	if v.Once != nil {
		took, err := v.Once()
		return sample{wall: float64(took)}, err
	}
	var before, after time.Duration
	var s sample
	if v.P50 != nil {
		v.P50()
	}
	if v.CPU != nil {
		var err error
		if before, err = v.CPU(); err != nil {
			return s, err
		}
	}
	start := time.Now()
	if err := v.Run(n); err != nil {
		return s, err
	}
	s.wall = float64(time.Since(start)) / float64(n)
	if v.CPU != nil {
		var err error
		if after, err = v.CPU(); err != nil {
			return s, err
		}
		s.cpu = float64(after-before) / float64(n)
	}
	if v.P50 != nil {
		s.p50 = float64(v.P50())
	}
	return s, nil
}

func summarize(name string, samples []sample) Result {
	column := func(of func(sample) float64) []float64 {
		values := make([]float64, len(samples))
		for i, s := range samples {
			values[i] = of(s)
		}
		return values
	}
	wall := column(func(s sample) float64 { return s.wall })
	return Result{
		Name: name,
		Wall: time.Duration(Median(wall)),
		Min:  time.Duration(slices.Min(wall)),
		Max:  time.Duration(slices.Max(wall)),
		CPU:  time.Duration(Median(column(func(s sample) float64 { return s.cpu }))),
		P50:  time.Duration(Median(column(func(s sample) float64 { return s.p50 }))),
	}
}
