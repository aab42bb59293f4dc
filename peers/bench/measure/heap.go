package measure

import (
	"math"
	"runtime"
	"runtime/debug"
)

// heap counts bytes and allocations. Garbage collection is off meanwhile, because it empties
// sync.Pools at random times. The minimum of three passes excludes background work.
func heap(v Variant, n int) (bytes, allocs int64, err error) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	n = min(max(n/10, 10), 500)
	bytes, allocs = math.MaxInt64, math.MaxInt64
	var before, after runtime.MemStats
	for range 3 {
		runtime.GC()
		if err := v.Run(n); err != nil { // refills the pools
			return 0, 0, err
		}
		runtime.ReadMemStats(&before)
		err := v.Run(n)
		runtime.ReadMemStats(&after)
		if err != nil {
			return 0, 0, err
		}
		bytes = min(bytes, perOperation(after.TotalAlloc-before.TotalAlloc, n))
		allocs = min(allocs, perOperation(after.Mallocs-before.Mallocs, n))
	}
	return bytes, allocs, nil
}

func perOperation(total uint64, n int) int64 {
	return int64(math.Round(float64(total) / float64(n)))
}
