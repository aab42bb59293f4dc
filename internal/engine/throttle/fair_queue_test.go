package throttle

import (
	"context"
	"errors"
	"net/netip"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// enter lets n calls of a client enter, and returns a function that reports how many have.
func enter(ctx context.Context, q *FairQueue, client Key, n int) (entered func() int) {
	var lock sync.Mutex
	count := 0
	for range n {
		go func() {
			if q.Enter(ctx, client) == nil {
				lock.Lock()
				count++
				lock.Unlock()
			}
		}()
	}
	return func() int {
		synctest.Wait()
		lock.Lock()
		defer lock.Unlock()
		return count
	}
}

// atFirst is how many calls of one client run before the first probe.
func atFirst() int { return 1 + atOnce*runtime.GOMAXPROCS(0) }

// busy is a probe while the processors are busy.
func (q *FairQueue) busy() {
	q.lock.Lock()
	defer q.lock.Unlock()
	q.probe(true)
}

func TestCallsThatWaitForSomethingElseAllRunSoon(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q, ada := &FairQueue{}, KeyOf("ada", netip.Addr{})
		all := 64 + atFirst()
		entered := enter(t.Context(), q, ada, all)
		if n := entered(); n != atFirst() {
			t.Errorf("%d run at once, want %d", n, atFirst())
		}
		time.Sleep(7 * probeTime) // 1+2+4+…+64 calls
		if n := entered(); n != all {
			t.Errorf("%d run soon after, want all", n)
		}
		for range all {
			q.Leave(ada)
		}
		time.Sleep(probeTime)
		synctest.Wait()
		if len(q.clients) != 0 || len(q.order) != 0 || q.timer != nil {
			t.Errorf("it remembers %v and %v", q.clients, q.order)
		}
	})
}

func TestABusyMachineRunsAsManyCallsOfAClientAsItHasProcessors(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q, ada, bob := &FairQueue{}, KeyOf("ada", netip.Addr{}), KeyOf("bob", netip.Addr{})
		costly := enter(t.Context(), q, ada, atFirst()+5)
		for range 3 {
			if costly() != atFirst() {
				t.Errorf("%d run, want %d", costly(), atFirst())
			}
			q.busy()
		}
		if n := enter(t.Context(), q, bob, 1)(); n != 1 {
			t.Error("a call of another client waits")
		}
		q.Leave(bob)
		for range atFirst() - runtime.GOMAXPROCS(0) {
			q.Leave(ada)
			if n := costly(); n != atFirst() {
				t.Errorf("%d run, want %d", n, atFirst())
			}
		}
		for i := range 5 {
			q.Leave(ada)
			if n := costly(); n != atFirst()+i+1 {
				t.Errorf("after %d more have left, %d have run", i+1, n)
			}
		}
	})
}

func TestAClientWithCostlyCallsIsPassedOverForTwiceAsLong(t *testing.T) {
	t.Parallel()
	l := line{batch: 8}
	for _, want := range []int{1, 3, 7, 15, 31, 63, 63} {
		if l.judge(true); l.pause != want || l.passed != want || l.batch != 1 {
			t.Errorf("it is passed over for %d turns, of which %d are left, want %d", l.pause, l.passed, want)
		}
	}
	for _, want := range []int{2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 1024} {
		if l.judge(false); l.pause != 0 || l.passed != 0 || l.batch != want {
			t.Errorf("its next turn admits %d calls, want %d", l.batch, want)
		}
	}
}

// The running calls may be waiting for something else, while other calls or programs keep
// the processors busy.
func TestABusyMachineAdmitsCallsMoreSlowlyTheMoreRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q, ada, bob := &FairQueue{}, KeyOf("ada", netip.Addr{}), KeyOf("bob", netip.Addr{})
		many := enter(t.Context(), q, ada, atFirst()+3)
		many()
		few := enter(t.Context(), q, bob, 2)
		few()
		q.lock.Lock()
		q.timer.Stop() // so that no probe admits them
		q.lock.Unlock()
		time.Sleep(patience)
		q.busy()
		if m, n := many(), few(); m != atFirst() || n != 2 {
			t.Errorf("of %d and 2 calls, %d and %d run", atFirst()+3, m, n)
		}
		time.Sleep(time.Duration(atFirst()-1) * patience)
		for i := range 3 {
			q.busy()
			q.busy()
			if n := many(); n != atFirst()+i+1 {
				t.Errorf("%d run, want %d", n, atFirst()+i+1)
			}
			time.Sleep(time.Duration(atFirst()+i+1) * patience)
		}
	})
}

// The processors are busy each time that the queue has admitted a call of ada.
func TestAClientWithCostlyCallsDoesntHoldUpOneWhoseCallsWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := &FairQueue{}
		ada, bob := KeyOf("ada", netip.Addr{}), KeyOf("bob", netip.Addr{})
		costly := enter(t.Context(), q, ada, atFirst()+200)
		costly()
		waits := enter(t.Context(), q, bob, 1+127)
		waits()
		q.lock.Lock()
		defer q.lock.Unlock()
		q.timer.Stop()
		busy := false
		for turns := 0; turns < 40 && len(q.clients[bob].waiting) > 0; turns++ {
			before := q.clients[ada].running
			q.probe(busy)
			busy = q.clients[ada].running > before
		}
		if n := len(q.clients[bob].waiting); n > 0 {
			t.Errorf("%d of the calls that don't cost still wait", n)
		}
		if more := q.clients[ada].running - atFirst(); more > 5 {
			t.Errorf("the client with costly calls got %d more", more)
		}
		for _, own := range q.clients {
			for _, turn := range own.waiting {
				close(turn)
			}
			own.waiting = nil
		}
	})
}

// turns returns whose calls the next probes admit. The processors are busy each time that the
// queue has admitted a call of a costly client.
func (q *FairQueue) turns(n int, clients map[string]Key, costly string) (whose string) {
	q.lock.Lock()
	defer q.lock.Unlock()
	for len(whose) < n {
		before := map[string]int{}
		for name, key := range clients {
			before[name] = q.clients[key].running
		}
		q.probe(false)
		for name, key := range clients {
			if q.clients[key].running > before[name] {
				whose += name
			}
		}
		if strings.ContainsAny(whose[len(whose)-1:], costly) {
			q.probe(true)
		}
	}
	return whose
}

func TestAClientWithCostlyCallsHasATurnAfterEachPauseThoughAnotherWaits(t *testing.T) {
	t.Parallel()
	for what, test := range map[string]struct{ costly, turns string }{
		"a is passed over once, and then three times": {"a", "abb" + "abbbb" + "abbb"},
		"both have costly calls":                      {"ab", "abababababab"},
	} {
		synctest.Test(t, func(t *testing.T) {
			q := &FairQueue{}
			ctx, end := context.WithCancel(t.Context())
			clients := map[string]Key{"a": KeyOf("ada", netip.Addr{}), "b": KeyOf("bob", netip.Addr{})}
			enter(ctx, q, clients["a"], atFirst()+10)()
			enter(ctx, q, clients["b"], maxBatch)()
			q.lock.Lock()
			q.timer.Stop()
			q.lock.Unlock()
			if got := q.turns(len(test.turns), clients, test.costly); got != test.turns {
				t.Errorf("%s: the turns are %s, want %s", what, got, test.turns)
			}
			end()
		})
	}
}

func TestABusyMachineLetsNoFurtherCallsOfAClientEnter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q, ada := &FairQueue{}, KeyOf("ada", netip.Addr{})
		ctx, end := context.WithCancel(t.Context())
		if n := enter(ctx, q, ada, 2)(); n != 2 {
			t.Errorf("%d of two calls run", n)
		}
		q.busy()
		if n := enter(ctx, q, ada, 1)(); n != 0 {
			t.Error("a further call runs")
		}
		end()
	})
}

// A client whose call leaves gets the place again as long as it has no more than its part.
func TestClientsShareABusyMachine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, others := range []int{1, runtime.GOMAXPROCS(0) + 1} { // with the latter, the part of each is one call
			q, ada := &FairQueue{}, KeyOf("ada", netip.Addr{})
			ctx, end := context.WithCancel(t.Context())
			all := enter(ctx, q, ada, atFirst()+100)
			all()
			for i := range others {
				enter(ctx, q, KeyOf(strconv.Itoa(i), netip.Addr{}), 1)()
			}
			q.busy()
			part := max(runtime.GOMAXPROCS(0)/(others+1), 1)
			for range atFirst() - part {
				q.Leave(ada)
			}
			if n := all(); n != atFirst() {
				t.Errorf("beside %d others, %d calls have entered before the client is down to its part", others, n)
			}
			q.Leave(ada)
			if n := all(); n != atFirst()+1 {
				t.Errorf("beside %d others, %d calls have entered when one of the client's part has left", others, n)
			}
			end()
			synctest.Wait()
		}
	})
}

// A call may get its turn when its context has just ended. It notices either of the two.
func TestATurnThatComesTooLateGoesToTheNextCall(t *testing.T) {
	t.Parallel()
	for range 64 {
		synctest.Test(t, func(t *testing.T) {
			q, ada := &FairQueue{}, KeyOf("ada", netip.Addr{})
			enter(t.Context(), q, ada, atFirst())()
			ctx, cancel := context.WithCancel(t.Context())
			late := enter(ctx, q, ada, 1)
			late()
			q.lock.Lock()
			cancel()
			q.admit(ada)
			q.lock.Unlock()
			for range atFirst() + late() {
				q.Leave(ada)
			}
			if len(q.clients) != 0 {
				t.Fatalf("it takes a call to run that has given up: %+v", q.clients[ada])
			}
		})
	}
}

func TestProcessorsAreBusyIfATimerIsLateAndGoroutinesWait(t *testing.T) {
	t.Parallel()
	var stop atomic.Bool
	defer stop.Store(true)
	for range 4 * runtime.GOMAXPROCS(0) {
		go func() {
			for !stop.Load() {
				runtime.Gosched()
			}
		}()
	}
	for begun := time.Now(); !isBusy(onTime + 1); runtime.Gosched() {
		if time.Since(begun) > time.Minute {
			t.Fatal("they aren't busy although many goroutines wait")
		}
	}
	if isBusy(onTime) {
		t.Error("they are busy although the timer is on time")
	}
}

func TestACallStopsWaitingWhenItsContextEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q, ada := &FairQueue{}, KeyOf("ada", netip.Addr{})
		enter(t.Context(), q, ada, atFirst())()
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- q.Enter(ctx, ada) }()
		synctest.Wait()
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		if len(q.order) != 0 {
			t.Errorf("it remembers %v", q.order)
		}
	})
}
