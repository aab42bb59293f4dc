package paths

import (
	"fmt"
	"net/http"
	"runtime"
	"slices"

	"github.com/bowline-mcp/bowline/peers/bench/contenders"
	"github.com/bowline-mcp/bowline/peers/bench/measure"
	"github.com/bowline-mcp/bowline/peers/bench/report"
	"github.com/bowline-mcp/bowline/peers/bench/wire"
)

const (
	bareSSE = "bare SSE handler"
	// openStreams is how many streams another process has open.
	openStreams = 1000
)

// listen measures the memory of one idle subscriptions/listen stream.
func listen(settings measure.Settings) ([]*report.Report, error) {
	r := &report.Report{
		Title: "one idle subscriptions/listen stream",
		Note: fmt.Sprintf("Heap and stacks of the server, after a collection, for each of %d streams that another process has open over TCP. "+
			"The floor is a handler of net/http that reads the request, sends one event and waits for the client to go.", openStreams),
		Floor: bareSSE, ByMemory: true,
	}
	servers := []struct {
		name  string
		serve func() (string, func() error, error)
	}{
		{bareSSE, func() (string, func() error, error) {
			return measure.Listen(&http.Server{Handler: contenders.BareSSE()})
		}},
		{bowline, func() (string, func() error, error) { return contenders.BowlineServe(contenders.One, endpoint) }},
	}
	held := map[string][]float64{}
	for round := range settings.Rounds + 1 {
		for _, server := range servers {
			bytes, err := heldBy(server.serve)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", server.name, err)
			}
			if round > 0 { // in the first, the runtime allocates memory for goroutines that it keeps
				held[server.name] = append(held[server.name], bytes)
			}
		}
	}
	for _, server := range servers {
		r.Results = append(r.Results, measure.Result{Name: server.name, Held: int64(measure.Median(held[server.name])), Bytes: -1, Allocs: -1})
	}
	spread := slices.Max(held[bowline]) - slices.Min(held[bowline])
	r.Note += fmt.Sprintf(" Between the rounds, Bowline's differ by %.1f KiB.", spread/1024)
	r.Budgets = []report.Budget{{What: "bowline to a bare SSE handler", Measured: r.Ratio(bowline, bareSSE), Limit: 1.2, Unit: "×"}}
	return []*report.Report{r}, nil
}

// heldBy returns how many bytes a server holds for each open stream.
func heldBy(serve func() (string, func() error, error)) (float64, error) {
	address, stop, err := serve()
	if err != nil {
		return 0, err
	}
	defer stop() //nolint:errcheck // the measurement is over
	before := footprint()
	listeners, err := measure.StartListeners(address, endpoint, wire.ModernListen(1), openStreams)
	if err != nil {
		return 0, err
	}
	defer listeners.Stop()
	return (footprint() - before) / openStreams, nil
}

// footprint returns the bytes of heap and stacks. Each garbage collection halves the stacks of
// which less than a quarter is used.
func footprint() float64 {
	for range 6 {
		runtime.GC()
	}
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return float64(stats.HeapAlloc + stats.StackInuse)
}
