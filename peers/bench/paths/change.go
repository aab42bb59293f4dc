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
	idle = "bowline, nothing changes"
	// phase is how long calls are made with changes, and without.
	phase = time.Second
	// between is the time from one change to the next.
	between = 100 * time.Millisecond
)

// change adds and removes tools while streams listen, and looks how long it takes until all are told, and what it does
// to calls.
func change(settings measure.Settings) ([]*report.Report, error) {
	address, change, stop, err := contenders.BowlineChanging(contenders.One, endpoint)
	if err != nil {
		return nil, err
	}
	defer stop() //nolint:errcheck // the measurement is over
	listeners, err := measure.StartListeners(address, endpoint, wire.ModernListen(1), openStreams)
	if err != nil {
		return nil, err
	}
	defer listeners.Stop()
	conn, err := measure.Dial(address, endpoint, wire.ModernCall(1, contenders.EchoTool))
	if err != nil {
		return nil, err
	}
	defer conn.Close() //nolint:errcheck // likewise
	if err := checkOverTCP(conn, checkCall, false); err != nil {
		return nil, err
	}
	var quiet, busy, told []float64
	var telling atomic.Bool
	for range settings.Rounds {
		p99, err := percentile(conn, func() bool { return true })
		if err != nil {
			return nil, err
		}
		quiet = append(quiet, p99)
		done, ended := make(chan error, 1), make(chan struct{})
		go func() { done <- changing(change, listeners, ended, &telling, &told) }()
		p99, err = percentile(conn, telling.Load)
		close(ended)
		if err := errors.Join(err, <-done); err != nil {
			return nil, err
		}
		busy = append(busy, p99)
	}
	r := &report.Report{
		Title: fmt.Sprintf("tools/call over TCP while %d streams are told of changes, 99th percentile", openStreams),
		Note: fmt.Sprintf("A tool is added or removed every %s; the streams are of another process, which reads them on the same cores. "+
			"Until all are told it takes %.0f ms in the median.", between, measure.Median(told)),
		Floor: idle,
		Results: []measure.Result{
			of(idle, quiet), of(bowline, busy),
		},
	}
	r.Budgets = []report.Budget{
		{What: "all streams are told, at most", Measured: slices.Max(told), Limit: 100, Unit: " ms"},
		{What: "while changes are told to idle", Measured: r.Ratio(bowline, idle), Limit: 2, Unit: "×"},
	}
	return []*report.Report{r}, nil
}

func of(name string, p99 []float64) measure.Result {
	return measure.Result{
		Name: name, Wall: time.Duration(measure.Median(p99)), Min: time.Duration(slices.Min(p99)), Max: time.Duration(slices.Max(p99)), Bytes: -1, Allocs: -1,
	}
}

// percentile makes calls for a phase, and returns the time in nanoseconds that 99 of 100 took at most. A call counts if
// it begins or ends while counts says so.
func percentile(conn *measure.Conn, counts func() bool) (float64, error) {
	var took []float64
	for end := time.Now().Add(phase); time.Now().Before(end); {
		before, start := counts(), time.Now()
		if _, err := conn.Do(); err != nil {
			return 0, err
		}
		if elapsed := time.Since(start); before || counts() {
			took = append(took, float64(elapsed))
		}
	}
	slices.Sort(took)
	return took[len(took)*99/100], nil
}

// changing makes changes until it is ended, and notes how many milliseconds each took until all streams were told. While
// they are, telling is true.
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
