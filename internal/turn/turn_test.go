package turn_test

import (
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/internal/turn"
)

// counted returns a turn, and what says how often it passed to another goroutine.
func counted() (t *turn.Turn, passed func() int) {
	var lock sync.Mutex
	count := 0
	t = turn.New(func() {
		lock.Lock()
		defer lock.Unlock()
		count++
	})
	return t, func() int {
		lock.Lock()
		defer lock.Unlock()
		return count
	}
}

func TestQuickThingsKeepTheTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turn, passed := counted()
		for i := range 1000 {
			turn.Begin()
			time.Sleep(time.Duration(i%10) * 100 * time.Microsecond)
			if !turn.End() {
				t.Fatalf("thing %d of less than a millisecond lost the turn", i)
			}
		}
		time.Sleep(time.Second)
		if n := passed(); n != 0 {
			t.Errorf("the turn passed %d times, want never", n)
		}
	})
}

func TestASlowThingLosesTheTurnWithinTwoMilliseconds(t *testing.T) {
	t.Parallel()
	for _, quick := range []time.Duration{0, time.Microsecond, 500 * time.Microsecond, 999 * time.Microsecond, time.Second} {
		synctest.Test(t, func(t *testing.T) {
			passed := make(chan time.Time, 1)
			turn := turn.New(func() { passed <- time.Now() })
			turn.Begin() // so that the slow thing begins at any moment between two ticks
			turn.End()
			time.Sleep(quick)

			begun := time.Now()
			turn.Begin()
			time.Sleep(10 * time.Millisecond)
			if turn.End() {
				t.Errorf("%v after a quick thing: a slow one kept the turn", quick)
			}
			if took := (<-passed).Sub(begun); took < time.Millisecond || took > 2*time.Millisecond {
				t.Errorf("%v after a quick thing: a slow one lost the turn after %v, want 1ms to 2ms", quick, took)
			}
		})
	}
}

func TestTheTurnPassesOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turn, passed := counted()
		turn.Begin()
		time.Sleep(time.Minute)
		turn.End()
		time.Sleep(time.Minute)
		if n := passed(); n != 1 {
			t.Errorf("the turn passed %d times, want once", n)
		}
	})
}

func TestATurnWithNothingToDoStays(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turn, passed := counted()
		for range 3 {
			turn.Begin()
			if !turn.End() {
				t.Error("a quick thing lost the turn")
			}
			time.Sleep(time.Second)
		}
		if n := passed(); n != 0 {
			t.Errorf("the turn passed %d times between things, want never", n)
		}
	})
}

func TestATurnThatIsGivenUpDoesNotPass(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turn, passed := counted()
		turn.Begin()
		if !turn.Pass() {
			t.Error("the turn wasn't its own")
		}
		time.Sleep(time.Second)
		if turn.Pass() {
			t.Error("the turn was given up twice")
		}
		if n := passed(); n != 0 {
			t.Errorf("the turn passed %d times, want never: the one who gave it up goes on otherwise", n)
		}
	})
}

func TestATurnThatPassedCannotBeGivenUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turn, passed := counted()
		turn.Begin()
		time.Sleep(time.Second)
		if turn.Pass() || passed() != 1 {
			t.Errorf("the turn was its own after it had passed %d times", passed())
		}
	})
}

// A worker does things one after the other, as the readers of the engine do.
type worker struct {
	things chan time.Duration

	lock sync.Mutex
	done []time.Duration
}

// finished returns how long the things took that are done, in the order of their ends.
func (w *worker) finished() []time.Duration {
	w.lock.Lock()
	defer w.lock.Unlock()
	return slices.Clone(w.done)
}

func (w *worker) work() {
	turn := turn.New(w.work)
	for took := range w.things {
		turn.Begin()
		time.Sleep(took)
		w.lock.Lock()
		w.done = append(w.done, took)
		w.lock.Unlock()
		if !turn.End() {
			return // another goroutine has taken over
		}
	}
}

func TestASlowThingHoldsUpNoOther(t *testing.T) {
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
