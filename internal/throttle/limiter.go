package throttle

import (
	"container/list"
	"errors"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/bowline-mcp/bowline/internal/limits"
)

// A Limiter lets each client do something so often. It is safe for concurrent use.
type Limiter struct {
	limit rate.Limit
	burst int
	full  time.Duration // after which a client that did nothing is as good as new

	lock    sync.Mutex
	clients map[Key]*list.Element // of recent
	recent  list.List             // of *client, the latest first
}

// A client is how much one may still do.
type client struct {
	key    Key
	bucket *rate.Limiter
	last   time.Time
}

// New returns a limiter of n times per duration. That many may come at once, or as many
// as the burst says if there is one. The error says what is wrong with the numbers.
func New(n int, per time.Duration, burst ...int) (*Limiter, error) {
	atOnce := n
	if len(burst) > 0 {
		atOnce = burst[0]
	}
	if n < 1 || per < time.Millisecond || atOnce < 1 || len(burst) > 1 {
		return nil, errors.New("it needs a number and a time of a millisecond or more, and may have one burst, all more than 0, such as (100, time.Minute, 10)")
	}
	l := &Limiter{limit: rate.Limit(float64(n) / per.Seconds()), burst: atOnce, clients: map[Key]*list.Element{}}
	l.full = time.Duration(float64(atOnce) / float64(l.limit) * float64(time.Second))
	return l, nil
}

// Take lets a client do it once and returns 0, or returns how long it has to wait, in
// whole seconds.
func (l *Limiter) Take(key Key) (wait time.Duration) {
	now := time.Now()
	l.lock.Lock()
	defer l.lock.Unlock()
	reservation := l.client(key, now).bucket.ReserveN(now, 1)
	if wait = reservation.DelayFrom(now); wait > 0 {
		reservation.CancelAt(now)
	}
	return (wait + time.Second - 1).Truncate(time.Second)
}

// client returns a client, and forgets others that need not be remembered. The caller
// holds the lock.
func (l *Limiter) client(key Key, now time.Time) *client {
	if known := l.clients[key]; known != nil {
		l.recent.MoveToFront(known)
		c := known.Value.(*client)
		c.last = now
		return c
	}
	for range 2 { // one would be enough to never grow, but not to shrink
		oldest := l.recent.Back()
		if oldest == nil {
			break
		}
		c := oldest.Value.(*client)
		if len(l.clients) < limits.MaxClients && now.Sub(c.last) < l.full {
			break
		}
		l.recent.Remove(oldest)
		delete(l.clients, c.key)
	}
	c := &client{key: key, bucket: rate.NewLimiter(l.limit, l.burst), last: now}
	l.clients[key] = l.recent.PushFront(c)
	return c
}
