package handoff_test

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/internal/engine/handoff"
)

// passes checks how often another goroutine takes over during a test.
func passes(t *testing.T, times int32, test func(t *testing.T, worker *handoff.Worker)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var passed atomic.Int32
		test(t, handoff.New(func() { passed.Add(1) }))
		if n := passed.Load(); n != times {
			t.Errorf("another goroutine took over %d times, want %d", n, times)
		}
	})
}

func TestFastTasksKeepTheTurn(t *testing.T) {
	passes(t, 0, func(t *testing.T, worker *handoff.Worker) {
		for i := range 1000 {
			worker.Begin()
			time.Sleep(time.Duration(i%10) * 100 * time.Microsecond)
			if !worker.End() {
				t.Fatalf("thing %d of less than a millisecond was handed off", i)
			}
		}
		time.Sleep(time.Second)
	})
}

func TestASlowTaskLosesTheTurnWithinTwoMilliseconds(t *testing.T) {
	t.Parallel()
	for _, quick := range []time.Duration{0, time.Microsecond, 500 * time.Microsecond, 999 * time.Microsecond, time.Second} {
		synctest.Test(t, func(t *testing.T) {
			passed := make(chan time.Time, 1)
			worker := handoff.New(func() { passed <- time.Now() })
			worker.Begin() // so that the slow task begins at a random moment between two ticks
			worker.End()
			time.Sleep(quick)

			begun := time.Now()
			worker.Begin()
			time.Sleep(10 * time.Millisecond)
			if worker.End() {
				t.Errorf("%v after a fast task: a slow one was not handed off", quick)
			}
			if took := (<-passed).Sub(begun); took < time.Millisecond || took > 2*time.Millisecond {
				t.Errorf("%v after a fast task: a slow one was handed off after %v, want 1ms to 2ms", quick, took)
			}
		})
	}
}

func TestTheTurnPassesOnce(t *testing.T) {
	passes(t, 1, func(t *testing.T, worker *handoff.Worker) {
		worker.Begin()
		time.Sleep(time.Minute)
		worker.End()
		time.Sleep(time.Minute)
	})
}

func TestAnIdleTurnDoesNotPass(t *testing.T) {
	passes(t, 0, func(t *testing.T, worker *handoff.Worker) {
		for range 3 {
			worker.Begin()
			if !worker.End() {
				t.Error("a fast task was handed off")
			}
			time.Sleep(time.Second)
		}
	})
}

// The goroutine that passes starts its own successor.
func TestAFinishedTurnDoesNotPass(t *testing.T) {
	passes(t, 0, func(t *testing.T, worker *handoff.Worker) {
		worker.Begin()
		if !worker.Pass() {
			t.Error("the goroutine was not the worker")
		}
		time.Sleep(time.Second)
		if worker.Pass() {
			t.Error("it passed twice")
		}
	})
}

func TestPassReportsThatTheTurnHasPassed(t *testing.T) {
	passes(t, 1, func(t *testing.T, worker *handoff.Worker) {
		worker.Begin()
		time.Sleep(time.Second)
		if worker.Pass() {
			t.Error("the goroutine was still the worker after another one had taken over")
		}
	})
}

// A worker runs tasks one after the other, as the readers of the engine do.
type worker struct {
	things chan time.Duration

	lock sync.Mutex
	done []time.Duration
}

// finished returns how long the finished tasks took, in the order of their ends.
func (w *worker) finished() []time.Duration {
	w.lock.Lock()
	defer w.lock.Unlock()
	return slices.Clone(w.done)
}

func (w *worker) work() {
	worker := handoff.New(w.work)
	for took := range w.things {
		worker.Begin()
		time.Sleep(took)
		w.lock.Lock()
		w.done = append(w.done, took)
		w.lock.Unlock()
		if !worker.End() {
			return // another goroutine has taken over
		}
	}
}

func TestASlowTaskDoesNotDelayOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &worker{things: make(chan time.Duration, 6)}
		for _, took := range []time.Duration{1, 2, time.Hour, 3, time.Minute, 4} {
			w.things <- took
		}
		close(w.things)
		go w.work()
		time.Sleep(10 * time.Millisecond)
		if got, want := w.finished(), []time.Duration{1, 2, 3, 4}; !slices.Equal(got, want) {
			t.Errorf("after 10 ms the things %v are done, want %v", got, want)
		}
		time.Sleep(2 * time.Hour)
		if got, want := w.finished(), []time.Duration{1, 2, 3, 4, time.Minute, time.Hour}; !slices.Equal(got, want) {
			t.Errorf("in the end the things %v are done, want %v", got, want)
		}
	})
}
