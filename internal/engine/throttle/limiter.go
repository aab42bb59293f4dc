// Package throttle keeps one client from taking what the others need. A [Limiter] limits how
// often a client may do something, a [Share] how much it holds at a time, and a [FairQueue] how
// much processor time its calls take.
package throttle

import (
	"container/list"
	"errors"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/bowline-mcp/bowline/internal/limits"
)

// A Limiter limits how often each client may do something. It is safe for concurrent use.
type Limiter struct {
	limit rate.Limit
	burst int
	full  time.Duration // how long it takes to refill an empty bucket

	lock    sync.Mutex
	clients map[Key]*list.Element // of recent
	recent  list.List             // of *client, most recently active first
}

// A client is the token bucket of one client.
type client struct {
	key    Key
	bucket *rate.Limiter
	last   time.Time
}

// New returns a limiter that allows n operations per duration, and n or burst of them at
// once. It returns an error for numbers that are not valid.
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

// Never is the time to wait for a batch with more operations than the burst.
const Never = time.Duration(-1)

// Take takes a token from a client's bucket and returns 0. If there is none, it returns
// how long the client has to wait, in whole seconds.
func (l *Limiter) Take(key Key) (wait time.Duration) { return l.take(key, 1) }

// Wait returns what Take would return, without taking a token.
func (l *Limiter) Wait(key Key) time.Duration {
	now := time.Now()
	l.lock.Lock()
	defer l.lock.Unlock()
	bucket := l.client(key, now).bucket
	reservation := bucket.ReserveN(now, 1)
	defer reservation.CancelAt(now)
	return inSeconds(reservation.DelayFrom(now))
}

// TakeRest takes the tokens of a batch of n operations, of which Take has taken one. It
// returns what Take returns, or Never if the bucket doesn't have that many tokens even when
// it is full.
func (l *Limiter) TakeRest(key Key, n int) (wait time.Duration) {
	if n > l.burst {
		return Never
	}
	return l.take(key, n-1)
}

// Return puts a token back that Take took, for an operation that turns out not to count.
func (l *Limiter) Return(key Key) {
	now := time.Now()
	l.lock.Lock()
	defer l.lock.Unlock()
	l.client(key, now).bucket.ReserveN(now, -1) // at most the burst stays
}

// take takes n tokens.
func (l *Limiter) take(key Key, n int) (wait time.Duration) {
	now := time.Now()
	l.lock.Lock()
	defer l.lock.Unlock()
	reservation := l.client(key, now).bucket.ReserveN(now, n)
	if wait = reservation.DelayFrom(now); wait > 0 {
		reservation.CancelAt(now)
	}
	return inSeconds(wait)
}

// inSeconds rounds a time up to whole seconds.
func inSeconds(wait time.Duration) time.Duration {
	return (wait + time.Second - 1).Truncate(time.Second)
}

// client returns a client, and evicts others if there are too many or their buckets are
// full again. The caller holds the lock.
func (l *Limiter) client(key Key, now time.Time) *client {
	if known := l.clients[key]; known != nil {
		l.recent.MoveToFront(known)
		c := known.Value.(*client)
		c.last = now
		return c
	}
	for range 2 { // evicting one keeps the number constant, evicting two lets it shrink
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

// A Key identifies a client by its principal or its network.
type Key struct {
	principal string
	network   netip.Prefix
}

// String returns the principal, or the network.
func (k Key) String() string {
	if k.principal != "" || !k.network.IsValid() {
		return k.principal
	}
	if k.network.IsSingleIP() {
		return k.network.Addr().String()
	}
	return k.network.String()
}

// KeyOf returns the key of a client: its principal, or its address if it is anonymous.
// Only the first 64 bits of an IPv6 address count, since a client can usually choose the
// rest. Clients with neither, as on stdio, share one key.
func KeyOf(principal string, address netip.Addr) Key {
	if principal != "" || !address.IsValid() {
		return Key{principal: principal}
	}
	address = address.Unmap()
	bits := address.BitLen()
	if address.Is6() {
		bits = 64
	}
	network, _ := address.Prefix(bits) // can't fail: the address has at least that many bits
	return Key{network: network}
}
