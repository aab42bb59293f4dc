package paths

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/bowline-mcp/bowline/peers/bench/contenders"
	"github.com/bowline-mcp/bowline/peers/bench/measure"
	"github.com/bowline-mcp/bowline/peers/bench/report"
	"github.com/bowline-mcp/bowline/peers/bench/wire"
)

const (
	idle      = "bowline, nothing changes"
	whileTold = "bowline, only calls while streams are notified"
	// phase is how long calls are made, once with changes and once without.
	phase = time.Second
	// between is the time from one change to the next, and the limit for notifying all streams.
	// So all calls of a phase are made meanwhile.
	between = 100 * time.Millisecond
)

// change adds and removes tools while streams listen. It measures how long it takes to notify all
// streams, and how much slower calls are meanwhile.
func change(settings measure.Settings) ([]*report.Report, error) {
	address, change, stop, err := contenders.BowlineChanging(contenders.One, endpoint)
	if err != nil {
		return nil, err
	}
	defer stop() //nolint:errcheck // the measurement is over
	conn, err := measure.Dial(address, endpoint, wire.ModernCall(1, contenders.EchoTool))
	if err != nil {
		return nil, err
	}
	defer conn.Close() //nolint:errcheck // likewise
	if err := checkOverTCP(conn, checkCall, false); err != nil {
		return nil, err
	}
	p, err := phases(settings.Rounds, address, change, conn)
	if err != nil {
		return nil, err
	}
	r := &report.Report{
		Title: fmt.Sprintf("tools/call over TCP while %d streams are notified of changes, 99th percentile", openStreams),
		Note: fmt.Sprintf("For bowline, a tool is added or removed every %s, which is how long it may take until all are notified; it takes %.0f ms in the median. "+
			"The streams are of another process on the same cores: while they are notified, its reading takes the cores from the calls too, "+
			"so that the last row depends on the client at least as much.", between, measure.Median(p.told)),
		Floor:   idle,
		Results: []measure.Result{of(idle, p.quiet), of(bowline, p.busy), of(whileTold, p.meanwhile)},
	}
	r.Budgets = []report.Budget{
		{What: "all streams are notified, at most", Measured: slices.Max(p.told), Limit: float64(between / time.Millisecond), Unit: " ms"},
		{What: "calls in the 100 ms after a change, to idle", Measured: r.Ratio(bowline, idle), Limit: 2, Unit: "×"},
	}
	return []*report.Report{r}, nil
}

// of returns the result for the 99th percentiles of the rounds.
func of(name string, p99 []float64) measure.Result {
	return measure.Result{
		Name: name, Wall: time.Duration(measure.Median(p99)), Min: time.Duration(slices.Min(p99)), Max: time.Duration(slices.Max(p99)), Bytes: -1, Allocs: -1,
	}
}

// A phased holds the measurements of all phases. Three are the 99th percentiles of calls, in
// nanoseconds: without changes, with changes, and of only the calls while streams are being
// notified. The fourth is how many milliseconds each change took to reach all streams.
type phased struct{ quiet, busy, meanwhile, told []float64 }

// phases makes calls with changes and without, in turn.
func phases(rounds int, address string, change func() error, conn *measure.Conn) (p phased, err error) {
	listeners, err := measure.StartListeners(address, endpoint, wire.ModernListen(1), openStreams)
	if err != nil {
		return p, err
	}
	defer listeners.Stop()
	var telling atomic.Bool
	for range rounds {
		all, _, err := calls(conn, &telling)
		if err != nil {
			return p, err
		}
		p.quiet = append(p.quiet, p99(all))
		done, ended := make(chan error, 1), make(chan struct{})
		go func() { done <- changing(change, listeners, ended, &telling, &p.told) }()
		all, some, err := calls(conn, &telling)
		close(ended)
		if err := errors.Join(err, <-done); err != nil {
			return p, err
		}
		p.busy, p.meanwhile = append(p.busy, p99(all)), append(p.meanwhile, p99(some))
	}
	return p, nil
}

// calls makes calls for a phase, and returns how many nanoseconds they took: all calls, and those
// that begin or end while streams are being notified of a change.
func calls(conn *measure.Conn, telling *atomic.Bool) (all, meanwhile []float64, err error) {
	for end := time.Now().Add(phase); time.Now().Before(end); {
		told, start := telling.Load(), time.Now()
		if _, err := conn.Do(); err != nil {
			return nil, nil, err
		}
		took := float64(time.Since(start))
		all = append(all, took)
		if told || telling.Load() {
			meanwhile = append(meanwhile, took)
		}
	}
	return all, meanwhile, nil
}

// p99 returns the 99th percentile.
func p99(took []float64) float64 {
	slices.Sort(took)
	return took[len(took)*99/100]
}

// changing makes changes until ended is closed, and records how many milliseconds each took to
// reach all streams. Meanwhile, telling is true.
func changing(change func() error, listeners *measure.Listeners, ended <-chan struct{}, telling *atomic.Bool, told *[]float64) error {
	for {
		start := time.Now()
		telling.Store(true)
		if err := change(); err != nil {
			return err
		}
		at, err := listeners.Heard()
		telling.Store(false)
		if err != nil {
			return err
		}
		*told = append(*told, float64(at.Sub(start))/float64(time.Millisecond))
		select {
		case <-time.After(between - time.Since(start)):
		case <-ended:
			return nil
		}
	}
}
