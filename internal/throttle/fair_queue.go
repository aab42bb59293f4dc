package throttle

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"time"
)

// A FairQueue keeps one client from taking all processor time with costly calls. While the
// processors have time for more, all calls run at once; they may be waiting for a database,
// for example. While the processors are busy, further calls of a client wait. When one of
// its calls ends, the next begins only if fewer of them run than there are processors. The
// more calls of a client run, the longer its next one waits. The zero value is ready to use.
type FairQueue struct {
	lock    sync.Mutex
	clients map[Key]*line
	order   []Key       // of clients with calls that wait; the first is admitted next
	timer   *time.Timer // runs probe; nil if no call waits, and none has entered for a while
	due     time.Time   // of the timer
	free    int         // how many calls may enter before the next probe, beyond one for each client
	batch   int         // how many calls the next probe admits
}

// A line has the calls of one client.
type line struct {
	running int
	waiting []chan struct{} // closed when a call may run
	since   time.Time       // when the first waiting call became the first
}

// A queue sets a timer to find out whether the processors have time. If costly calls run on
// all processors, the timer fires up to 10 ms late, since Go lets each run that long.
const (
	probeTime = 4 * time.Millisecond
	onTime    = time.Millisecond

	// patience is how long a client's first waiting call waits for each of its running calls.
	// Then it runs even if the processors are busy: the running calls may be waiting for
	// something else, and other calls or programs may keep the processors busy.
	patience = 50 * time.Millisecond

	// atOnce is how many calls for each processor may enter between two probes.
	atOnce = 4
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
		own = &line{}
		q.clients[client] = own
	}
	if own.running == 0 || q.isFree() {
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
	if len(own.waiting) > 0 && own.running < runtime.GOMAXPROCS(0) {
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

// isFree reports whether a call may enter at once although its client has a running one.
func (q *FairQueue) isFree() bool {
	if q.timer == nil {
		q.free, q.batch = atOnce*runtime.GOMAXPROCS(0), 1
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
	q.due = time.Now().Add(probeTime)
	q.timer = time.AfterFunc(probeTime, func() {
		q.lock.Lock()
		defer q.lock.Unlock()
		if q.probe(time.Since(q.due)); q.free < atOnce*runtime.GOMAXPROCS(0) {
			q.schedule()
		} else {
			q.timer = nil
		}
	})
}

// probe admits waiting calls of all clients in turn if the timer fired on time, since the
// processors then have time for them. Each such probe in a row admits twice as many. If the
// timer fired late, probe admits only the calls that have waited long enough.
func (q *FairQueue) probe(late time.Duration) {
	if late > onTime {
		q.free, q.batch = 0, 1
		for _, client := range slices.Clone(q.order) {
			if own := q.clients[client]; time.Since(own.since) >= time.Duration(own.running)*patience {
				q.admit(client)
			}
		}
		return
	}
	for range q.batch {
		if len(q.order) == 0 {
			q.free = atOnce * runtime.GOMAXPROCS(0)
			break
		}
		next := q.order[0]
		q.order = append(q.order[1:], next)
		q.admit(next)
	}
	q.batch *= 2
}
