package throttle

import (
	"context"
	"runtime"
	"runtime/metrics"
	"slices"
	"sync"
	"time"
)

// A FairQueue keeps one client from taking all processor time with costly calls. While the
// processors have time for more, all calls run at once; they may be waiting for a database,
// for example. While the processors are busy, each client runs as many calls as its part of
// the processors, at least one, and its further calls wait.
//
// The queue admits waiting calls of one client and then looks whether the processors still
// have time. If so, it admits twice as many of that client at its next turn; if not, it passes
// the client over for twice as long. So the costly calls of one client don't hold up calls of
// another that wait for something. The zero value is ready to use.
type FairQueue struct {
	lock    sync.Mutex
	clients map[Key]*line
	order   []Key       // of clients with waiting calls; the first has the next turn
	timer   *time.Timer // runs probe; nil if no call waits, and none has entered for a while
	free    int         // how many calls may enter before the next probe, beyond one for each client
	tried   *line       // of the client whose calls the last probe admitted, or nil
}

// A line has the calls of one client.
type line struct {
	running int
	waiting []chan struct{} // closed when a call may run
	since   time.Time       // when the first waiting call became the first
	batch   int             // how many calls its next turn admits
	pause   int             // how many turns it was last passed over for
	passed  int             // how many of those are left
}

const (
	// probeTime is how long after it has admitted calls a queue looks whether the processors
	// have time for more.
	probeTime = 4 * time.Millisecond

	// onTime is how late a timer fires at most while the processors have time. While costly
	// calls run on all of them it fires up to 10 ms late, since Go lets each run that long.
	onTime = time.Millisecond

	// patience is how long a client's first waiting call waits for each of its running calls.
	// Then it runs even if the processors are busy: the running calls may be waiting for
	// something else, and other calls or programs may keep the processors busy.
	patience = 50 * time.Millisecond

	// atOnce is how many calls for each processor may enter between two probes.
	atOnce = 4

	// maxBatch and maxPause are the limits of a turn and of the turns for which a client is
	// passed over: a quarter of a second.
	maxBatch = 1 << 10
	maxPause = 1<<6 - 1
)

// Enter waits until a call of a client may run. It returns the error of the context if that
// ends first.
func (q *FairQueue) Enter(ctx context.Context, client Key) error {
	q.lock.Lock()
	if q.clients == nil {
		q.clients = map[Key]*line{}
	}
	own := q.clients[client]
	if own == nil {
		own = &line{batch: 1}
		q.clients[client] = own
	}
	if own.running == 0 || q.takeFree() {
		own.running++
		q.lock.Unlock()
		return nil
	}
	turn := make(chan struct{})
	if len(own.waiting) == 0 {
		q.order = append(q.order, client)
		own.since = time.Now()
	}
	own.waiting = append(own.waiting, turn)
	q.lock.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	q.lock.Lock()
	defer q.lock.Unlock()
	if i := slices.Index(own.waiting, turn); i >= 0 {
		own.waiting = slices.Delete(own.waiting, i, i+1)
		q.tidy(client)
	} else { // the turn came at the same time
		q.leave(client)
	}
	return ctx.Err()
}

// Leave ends a call that has entered.
func (q *FairQueue) Leave(client Key) {
	q.lock.Lock()
	defer q.lock.Unlock()
	q.leave(client)
}

// leave lets the next call of the client run. The caller holds the lock, as for all methods
// below.
func (q *FairQueue) leave(client Key) {
	own := q.clients[client]
	own.running--
	if len(own.waiting) > 0 && own.running < max(runtime.GOMAXPROCS(0)/len(q.clients), 1) {
		q.admit(client)
		return
	}
	q.tidy(client)
}

// admit lets the client's first call that waits run.
func (q *FairQueue) admit(client Key) {
	own := q.clients[client]
	close(own.waiting[0])
	own.waiting = slices.Delete(own.waiting, 0, 1)
	own.running++
	own.since = time.Now()
	q.tidy(client)
}

// tidy removes a client from the order if none of its calls wait, and from the queue if none
// run either.
func (q *FairQueue) tidy(client Key) {
	own := q.clients[client]
	if len(own.waiting) > 0 {
		return
	}
	if i := slices.Index(q.order, client); i >= 0 {
		q.order = slices.Delete(q.order, i, i+1)
	}
	if own.running == 0 {
		delete(q.clients, client)
	}
}

// takeFree takes a place of those for calls that may enter at once although their client has a
// running one, and reports whether there was one.
func (q *FairQueue) takeFree() bool {
	if q.timer == nil {
		q.free = atOnce * runtime.GOMAXPROCS(0)
		q.schedule()
	}
	if q.free == 0 {
		return false
	}
	q.free--
	return true
}

// schedule sets the timer of the next probe.
func (q *FairQueue) schedule() {
	due := time.Now().Add(probeTime)
	q.timer = time.AfterFunc(probeTime, func() {
		busy := isBusy(time.Since(due))
		q.lock.Lock()
		defer q.lock.Unlock()
		if q.probe(busy); q.free == 0 {
			q.schedule()
		} else {
			q.timer = nil
		}
	})
}

// isBusy reports whether the processors are busy with calls: a timer fires late, and more than
// one goroutine for each processor waits for processor time. Alone, a late timer may also mean
// that the processors are busy with other programs.
func isBusy(late time.Duration) bool {
	if late <= onTime {
		return false
	}
	samples := []metrics.Sample{{Name: "/sched/goroutines/runnable:goroutines"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64() > uint64(runtime.GOMAXPROCS(0)) //nolint:gosec // it is positive
}

// probe admits waiting calls. If the processors are busy, it admits only calls that have
// waited for long.
func (q *FairQueue) probe(busy bool) {
	if q.tried != nil {
		q.tried.judge(busy)
		q.tried = nil
	}
	switch {
	case busy:
		q.free = 0
		for _, client := range slices.Clone(q.order) {
			if own := q.clients[client]; time.Since(own.since) >= time.Duration(own.running)*patience {
				q.admit(client)
			}
		}
	case len(q.order) == 0:
		q.free = atOnce * runtime.GOMAXPROCS(0)
	default:
		client := q.next()
		q.tried = q.clients[client]
		for range min(q.tried.batch, len(q.tried.waiting)) {
			q.admit(client)
		}
	}
}

// judge sets what a client gets next, after calls of it were admitted: more of them, or a
// pause if the processors are busy.
func (l *line) judge(busy bool) {
	if busy {
		l.batch, l.pause = 1, min(2*l.pause+1, maxPause)
	} else {
		l.batch, l.pause = min(2*l.batch, maxBatch), 0
	}
	l.passed = l.pause
}

// next returns the client whose turn it is: the first that isn't passed over, or the first.
// It becomes the last.
func (q *FairQueue) next() Key {
	for range q.order {
		own := q.clients[q.order[0]]
		if own.passed == 0 {
			break
		}
		own.passed--
		q.rotate()
	}
	client := q.order[0]
	q.rotate()
	return client
}

// rotate makes the first client of the order the last.
func (q *FairQueue) rotate() { q.order = append(q.order[1:], q.order[0]) }
